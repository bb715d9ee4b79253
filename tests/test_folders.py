"""Where files of a user are kept."""

from pathlib import Path

import platformdirs
import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from outflank.folders import NoHome, cache_folder, config_folder, state_folder

pytestmark = pytest.mark.interpreted_only


def test_the_cache_goes_where_the_system_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.delenv("OUTFLANK_CACHE_DIR", raising=False)
    monkeypatch.setattr(platformdirs, "PlatformDirs", Unix)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "outflank"
    for unset in ("", "relative/caches"):  # which is not where it was said, but in whichever folder one happens to be
        monkeypatch.setenv("XDG_CACHE_HOME", unset)
        assert cache_folder() == Path("~/.cache/outflank").expanduser()
    monkeypatch.setattr(platformdirs, "PlatformDirs", MacOS)
    assert cache_folder() == Path("~/Library/Caches/outflank").expanduser()
    monkeypatch.setattr(platformdirs, "PlatformDirs", Windows)
    monkeypatch.setattr("platformdirs.windows.get_win_folder", {"CSIDL_LOCAL_APPDATA": f"{tmp_path}/local"}.__getitem__)
    assert cache_folder() == tmp_path / "local" / "outflank"
    monkeypatch.setenv("OUTFLANK_CACHE_DIR", "~/elsewhere")
    assert cache_folder() == Path("~/elsewhere").expanduser()


@pytest.mark.parametrize("old", [True, False])
def test_without_a_home_directory_there_is_no_folder(monkeypatch, old):
    def looked_for(self):
        if old:
            return "~/.cache/outflank"
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("OUTFLANK_CACHE_DIR", raising=False)
    monkeypatch.setattr(platformdirs.PlatformDirs, "user_cache_dir", property(looked_for))
    with pytest.raises(NoHome, match="no home directory to keep caches in"):
        cache_folder()


def test_settings_and_notes_are_where_command_lines_keep_them(monkeypatch, tmp_path):
    for name, folder, usual in (
        ("XDG_CONFIG_HOME", config_folder, "~/.config/outflank"),
        ("XDG_STATE_HOME", state_folder, "~/.local/state/outflank"),
    ):
        monkeypatch.setenv(name, str(tmp_path))
        assert folder() == tmp_path / "outflank"
        monkeypatch.delenv(name)
        assert folder() == Path(usual).expanduser()
