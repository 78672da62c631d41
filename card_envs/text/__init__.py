"""Playing games by text: prompts that describe a situation, and answers that name an action.

`write_prompt` describes what a seat may know. `parse_action` reads answers such as "raise to 80", "[call]" or
`{"move": "fold"}`. `Transcript` records the actions of a deal. `TextTable` is one table that is played by text.
"""

from card_envs.text.answers import DEFAULT_ACTIONS, ActionTextError, default_action, extract_answer, parse_action
from card_envs.text.interface import action_names
from card_envs.text.prompts import FORMS, describe_legal_actions, write_prompt
from card_envs.text.table import TextTable
from card_envs.text.transcript import Transcript

__all__ = [
    "DEFAULT_ACTIONS",
    "FORMS",
    "ActionTextError",
    "TextTable",
    "Transcript",
    "action_names",
    "default_action",
    "describe_legal_actions",
    "extract_answer",
    "parse_action",
    "write_prompt",
]
