"""Files of Forge itself on the disk of this machine."""
