"""Recorded hands: read and write them (PHH), and play them again on our tables."""

from card_envs.hand_history.phh import (
    Hand,
    HandHistoryError,
    dump_hand,
    dump_hands,
    hand_of,
    load_hand,
    load_hands,
)
from card_envs.hand_history.replay import replay_hand, replay_tables
from card_envs.hand_history.report import ReplayReport, find_files, replay_each, replay_file, replay_paths
from card_envs.hand_history.results import ReplayResult

__all__ = [
    "Hand",
    "HandHistoryError",
    "ReplayReport",
    "ReplayResult",
    "dump_hand",
    "dump_hands",
    "find_files",
    "hand_of",
    "load_hand",
    "load_hands",
    "replay_each",
    "replay_file",
    "replay_hand",
    "replay_paths",
    "replay_tables",
]
