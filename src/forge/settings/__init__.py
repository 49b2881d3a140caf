"""Settings of a project: flag > FORGE_* > forge.yaml > ~/.config/forge/config.yaml. Wiring and the faces read them
and pass them down as values. May import `forge.model` only."""

from forge.settings.keys import Keys
from forge.settings.load import FILE_NAME, find_root, load_settings, user_file
from forge.settings.settings import Settings, User

__all__ = ["FILE_NAME", "Keys", "Settings", "User", "find_root", "load_settings", "user_file"]
