import pytest

from echostudio.episode.field import Binding, Field, FieldKind
from echostudio.retrieval import intent

FILE = Field("file_name", (Binding(2, "text"),), FieldKind.PATH, "", (), "report.csv")


def score(request: str, phrase: str) -> float:
    return intent.match(request, [phrase]).score


def test_same_words_score_one() -> None:
    assert score("save the file", "save the file") == 1.0


def test_case_width_and_function_words_do_not_count() -> None:
    assert score("ＳＡＶＥ a File", "save the file") == 1.0


def test_another_word_for_the_same_operation_is_the_same() -> None:
    assert score("store the file", "save the file") == 1.0


def test_another_operation_scores_lower_than_the_same() -> None:
    assert score("delete the file", "save the file") < score("save that file", "save the file")


def test_unrelated_words_stay_under_the_threshold() -> None:
    assert score("mute the microphone", "export the invoice as pdf") < 0.18


def test_chinese_is_matched_by_bigrams() -> None:
    assert score("保存文件", "保存这个文件") > 0.4
    assert score("关闭窗口", "保存这个文件") < 0.18


def test_a_recorded_value_is_masked_and_the_new_one_proposed() -> None:
    found = intent.match("import sales.csv", ["import report.csv"], [FILE])
    assert found.values == {"file_name": "sales.csv"}
    assert found.score == 1.0


def test_the_recorded_value_itself_proposes_nothing() -> None:
    found = intent.match("import report.csv", ["import report.csv"], [FILE])
    assert found.values == {}
    assert found.score == 1.0


def test_two_possible_values_propose_none() -> None:
    assert intent.match("import a.csv b.csv", ["import report.csv"], [FILE]).values == {}


def test_a_value_of_another_shape_is_not_proposed() -> None:
    assert intent.match("import something", ["import report.csv"], [FILE]).values == {}


@pytest.mark.parametrize("empty", ["", "the of", "   "])
def test_a_request_without_content_scores_low(empty: str) -> None:
    assert score(empty, "save the file") < 0.18


def test_the_best_phrase_wins() -> None:
    found = intent.match("keep the note", ["save the file", "keep the note"])
    assert found.phrase == "keep the note"
