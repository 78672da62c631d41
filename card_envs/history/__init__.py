"""Hand histories: reading and writing (PHH, ACPC logs, PokerStars, Big 2 as text), and replay on our tables."""

from card_envs.history.acpc.format import AcpcHand, AcpcLog, dump_log, load_log, parse_log
from card_envs.history.acpc.replay import replay_acpc_hand
from card_envs.history.big2.format import Big2Deal, dump_deals, load_deals, parse_deals
from card_envs.history.big2.replay import replay_deal
from card_envs.history.errors import HandHistoryError
from card_envs.history.hand_record import HandRecord, Move
from card_envs.history.history_format import HistoryFormat, HistoryWriter
from card_envs.history.match_file import MatchFile
from card_envs.history.phh.format import Hand, dump_hand, dump_hands, hand_of, load_hand, load_hands
from card_envs.history.phh.replay import replay_hand, replay_tables
from card_envs.history.pokerstars.format import load_pokerstars
from card_envs.history.recorded_hand import RecordedHand
from card_envs.history.recording import PlayedHands
from card_envs.history.replay import Replay
from card_envs.history.report import ReplayReport, find_files, replay_each, replay_file, replay_paths
from card_envs.history.results import ReplayResult
from card_envs.history.steps import HandSteps

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
    "PlayedHands",
    "RecordedHand",
    "Replay",
    "ReplayReport",
    "ReplayResult",
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
    "replay_acpc_hand",
    "replay_deal",
    "replay_each",
    "replay_file",
    "replay_hand",
    "replay_paths",
    "replay_tables",
]
