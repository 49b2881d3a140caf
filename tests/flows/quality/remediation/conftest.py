from __future__ import annotations

import pytest
from kept_folder import KeptFolder
from remedy_cases import bad_world
from remedy_world import RemedyWorld


@pytest.fixture(scope="session")
def bad_folder(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder:
    return KeptFolder(tmp_path_factory.mktemp("remedies"))


@pytest.fixture
def remedy_world(bad_folder: KeptFolder) -> RemedyWorld:
    return bad_world(bad_folder)
