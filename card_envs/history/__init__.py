"""Hand histories: reading and writing (PHH, ACPC logs, PokerStars, Big 2 as text), and replay on our tables."""

from card_envs.history.acpc.format import AcpcLog, dump_log, load_log, parse_log
from card_envs.history.acpc.hand import AcpcHand
from card_envs.history.big2.format import dump_deals, load_deals, parse_deals
from card_envs.history.big2.replay import Big2Deal
from card_envs.history.errors import HandHistoryError
from card_envs.history.hand_record import HandRecord, Move
from card_envs.history.history_format import HistoryFormat, HistoryWriter, PlayedHands
from card_envs.history.match_file import MatchFile
from card_envs.history.phh.format import dump_hand, dump_hands, hand_of, load_hand, load_hands
from card_envs.history.phh.hand import Hand
from card_envs.history.pokerstars.format import load_pokerstars
from card_envs.history.replay import (
    HandSteps,
    ParsedHand,
    RecordedHand,
    Replay,
    UnreadHand,
    replay_hand,
    replay_tables,
)
from card_envs.history.report import ReplayReport, find_files, replay_each, replay_file, replay_paths
from card_envs.history.results import ReplayResult

__all__ = [
    "AcpcHand",
    "AcpcLog",
    "Big2Deal",
    "Hand",
    "HandHistoryError",
    "HandRecord",
    "HandSteps",
    "HistoryFormat",
    "HistoryWriter",
    "MatchFile",
    "Move",
    "ParsedHand",
    "PlayedHands",
    "RecordedHand",
    "Replay",
    "ReplayReport",
    "ReplayResult",
    "UnreadHand",
    "dump_deals",
    "dump_hand",
    "dump_hands",
    "dump_log",
    "find_files",
    "hand_of",
    "load_deals",
    "load_hand",
    "load_hands",
    "load_log",
    "load_pokerstars",
    "parse_deals",
    "parse_log",
    "replay_each",
    "replay_file",
    "replay_hand",
    "replay_paths",
    "replay_tables",
]
