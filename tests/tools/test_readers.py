"""Which tool of the workspace reads what another changes, for a look at a call of unknown outcome."""

from tools.catalogue import WORKSPACE
from tools.toolset import Effect

SPECS = {spec.name: spec for spec in WORKSPACE}


def fields(name: str) -> set[str]:
    return set(SPECS[name].json_schema()["function"]["parameters"]["required"])


def test_a_reader_is_a_read_and_is_told_all_that_it_needs():
    readers = {spec.name: spec.reader for spec in WORKSPACE if spec.reader}
    assert readers == {
        "update_dashboard": "get_dashboard",
        "delete_dashboard": "get_dashboard",
        "refresh_dataset": "get_dataset",
        "delete_dataset": "get_dataset",
        "cancel_task": "get_task",
        "set_maintenance_mode": "check_environment_health",
    }
    for changing, reading in readers.items():
        assert SPECS[reading].effect is Effect.READ
        assert fields(reading) <= fields(changing)
