import pytest
from pydantic import ValidationError

from echostudio.episode import wire
from echostudio.episode.geometry import ScreenMap
from echostudio.episode.memory import Memory
from tests import builders


def test_a_memory_survives_json() -> None:
    memory = builders.memory()
    assert wire.from_text(Memory, wire.to_text(memory)) == memory
    assert wire.from_json(Memory, wire.to_json(memory)) == memory


def test_a_missing_part_is_named() -> None:
    body = wire.to_json(builders.memory())
    del body["intent"]
    with pytest.raises(ValidationError, match="intent"):
        wire.from_json(Memory, body)


def test_an_empty_screen_map_survives() -> None:
    assert wire.from_json(ScreenMap, wire.to_json(ScreenMap(()))) == ScreenMap(())
