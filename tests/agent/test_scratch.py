"""A place for temporary files, wherever it runs."""

from pathlib import Path

from agent.scratch import folder


def nowhere() -> str:
    raise FileNotFoundError("No usable temporary directory found")


def test_the_systems_own_folder_is_taken_where_there_is_one(tmp_path: Path) -> None:
    assert folder(str(tmp_path / "data"), lambda: "/tmp") == "/tmp"
    assert not (tmp_path / "data").exists()


def test_without_one_the_folder_is_in_data_dir_and_for_its_owner_alone(tmp_path: Path) -> None:
    made = folder(str(tmp_path / "data"), nowhere)
    assert made == str(tmp_path / "data" / "tmp")
    assert Path(made).stat().st_mode & 0o777 == 0o700
    assert folder(str(tmp_path / "data"), nowhere) == made
