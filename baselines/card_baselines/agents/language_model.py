"""Language models as agents: `llm:MODEL`, at any endpoint with OpenAI's chat completions API."""

from __future__ import annotations

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions
from card_envs.game import Game
from card_envs.text import ActionTextError, Transcript, action_names, default_action, parse_action, write_prompt
from card_envs.text.interface import TEXT

_PREFIX = "CARD_ENVS_LLM_"
_INSTRUCTION = 'Think briefly, then end with one line "Final answer: ACTION", ACTION being one of the legal actions.'
Message = dict[str, str]


@dataclass(frozen=True)
class LanguageModelSettings:
    """Settings of a language model; `from_environment` reads CARD_ENVS_LLM_LOG, CARD_ENVS_LLM_MAX_CALLS and so on."""

    log: str = ""
    """File of JSON lines with every prompt and answer; answers in it are used again."""
    max_calls: int = 10_000
    """Maximum number of calls, after which the agent raises `BudgetError`; with a log, a later match can continue."""
    timeout: float = 60.0
    """Timeout of one call in seconds."""
    retries: int = 2
    """Maximum number of repetitions of a call that fails or times out."""
    attempts: int = 2
    """Maximum number of prompts about one decision; without a legal action by then, the default action is taken."""
    form: str = "compact"
    """Form of the prompts: "compact" or "verbose"."""
    max_tokens: int = 1024
    """Maximum number of tokens of an answer."""
    workers: int = 8
    """Number of concurrent calls."""

    @classmethod
    def from_environment(cls) -> LanguageModelSettings:
        """Return the settings in environment variables; ValueError for one that must be a number and is not."""
        values: dict[str, Any] = {}
        for setting in fields(cls):
            text = os.environ.get(_PREFIX + setting.name.upper())
            if text is not None:
                try:
                    values[setting.name] = type(getattr(cls, setting.name))(text)
                except ValueError:
                    raise ValueError(f"{_PREFIX}{setting.name.upper()}={text!r} is no number") from None
        return cls(**values)


class BudgetError(RuntimeError):
    """Raised when a language model has been called `max_calls` times."""


class LanguageModel(Agent):
    """Plays by the answers of a language model to prompts of `card_envs.text`.

    The `openai` package reads the endpoint and its key from the environment variables OPENAI_BASE_URL and
    OPENAI_API_KEY. If an answer names no legal action, the model is asked again with the reason; after `attempts` the
    first legal one of check, pass and fold is played and counted in `num_defaults`.

    The prompts contain all public actions of the deal that `observe_actions` has received.

    Args:
        game: The game.
        argument: Name of the model.
        settings: Settings of the calls; by default from the environment.

    Raises:
        ModuleNotFoundError: The package `openai` is missing.
        ValueError: The log holds something else than JSON lines of this class.
    """

    def __init__(self, game: Game, argument: str, settings: LanguageModelSettings | None = None) -> None:
        from openai import OpenAI

        self.name = f"llm:{argument}"
        self.model = argument
        self.settings = settings or LanguageModelSettings.from_environment()
        self.num_calls = 0
        """Number of calls, without those that the log answered."""
        self.num_defaults = 0
        """Number of decisions in which no answer named a legal action."""
        self._client = OpenAI(
            api_key=os.environ.get("OPENAI_API_KEY", "none"),
            timeout=self.settings.timeout,
            max_retries=self.settings.retries,
        )
        self._transcripts: dict[tuple[int, int], Transcript] = {}
        self._lock = threading.Lock()
        self._known = self._load_log()

    # --- events -------------------------------------------------------------------------------------------------------

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Forget the previous deals at these tables."""
        begun = set(table_ids.tolist())
        self._transcripts = {key: kept for key, kept in self._transcripts.items() if key[0] not in begun}

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        """Add public actions to the transcripts of their tables."""
        for j, action in enumerate(actions.tolist()):
            key = int(decisions.table_ids[j]), int(decisions.seats[j])
            transcript = self._transcripts.setdefault(key, Transcript(decisions.game))
            transcript.record(decisions.views, j, action)

    # --- decisions ----------------------------------------------------------------------------------------------------

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the actions that the model names, one for each decision; calls run in parallel."""
        prompts = [self._prompt(decisions, j) for j in range(len(decisions))]
        views = decisions.views

        def ask(j: int) -> int:
            return self._action(decisions.game, views, j, prompts[j], float(decisions.random_numbers[j]))

        with ThreadPoolExecutor(self.settings.workers) as pool:
            return np.array(list(pool.map(ask, range(len(decisions)))), np.int64)

    def _prompt(self, decisions: Decisions, j: int) -> str:
        seat = int(decisions.seats[j])
        transcript = self._transcripts.get((int(decisions.table_ids[j]), seat))
        return write_prompt(decisions.game, decisions.views, j, seat, form=self.settings.form, transcript=transcript)

    def _action(self, game: Game, views: Any, j: int, prompt: str, number: float) -> int:
        """Return the action that the model names; `number` is a random number that makes log entries unique."""
        text = TEXT.find(game)
        rules = text.rules if text is not None else ""
        messages = [
            {"role": "system", "content": f"{rules}\n{_INSTRUCTION}".strip()},
            {"role": "user", "content": prompt},
        ]
        for _ in range(self.settings.attempts):
            answer = self._answer(messages, number)
            try:
                return parse_action(game, views, j, answer)
            except ActionTextError as error:
                messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": f"Refused: {error}"}]
        with self._lock:
            self.num_defaults += 1
        return default_action(action_names(game, views, j))

    def _answer(self, messages: list[Message], number: float) -> str:
        """Return the answer of the model, from the log if it is there."""
        key = sha256(json.dumps([self.model, messages, number]).encode()).hexdigest()
        with self._lock:
            if key in self._known:
                return self._known[key]
            if self.num_calls >= self.settings.max_calls:
                raise BudgetError(f"{self.name} has made {self.num_calls} calls, as many as it may: {_PREFIX}MAX_CALLS")
            self.num_calls += 1
        reply = self._client.chat.completions.create(
            model=self.model,
            messages=messages,  # type: ignore[arg-type]  # the package wants a type for each role
            max_tokens=self.settings.max_tokens,
        )
        answer = (reply.choices[0].message.content if reply.choices else None) or ""
        with self._lock:
            self._known[key] = answer
            if self.settings.log:
                entry = {"key": key, "model": self.model, "messages": messages, "answer": answer}
                with Path(self.settings.log).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        return answer

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self._client.close()

    def _load_log(self) -> dict[str, str]:
        """Return the answers in the log, by the key of their prompt."""
        path = Path(self.settings.log)
        if not self.settings.log or not path.is_file():
            return {}
        data = path.read_bytes()
        complete = data.rfind(b"\n") + 1
        if complete < len(data):  # the last line is incomplete if the process was killed
            os.truncate(path, complete)
        known = {}
        for number, line in enumerate(data[:complete].splitlines(), start=1):
            try:
                entry = json.loads(line)
                known[str(entry["key"])] = str(entry["answer"])
            except (ValueError, KeyError, TypeError, RecursionError):
                raise ValueError(f"{path}, line {number}: not a prompt and its answer") from None
        return known
