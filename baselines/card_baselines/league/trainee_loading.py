"""Classes of trainees by name."""

from __future__ import annotations

from contextlib import suppress

from card_baselines.league.trainee import Trainee
from card_envs import plugins
from card_envs.agent.loading import class_at
from card_envs.locations import UnknownNameError, list_choices, load_object, require_allowed, suggest_name


def trainee_class(spec: str) -> type[Trainee]:
    """Return a class of trainees.

    Args:
        spec: A registered name (entry points `card_envs.trainees`), "module:Class" or "path/to/file.py:Class"; or an
            `Algorithm` in a module or file, such as "path/to/file.py:ALGORITHM", whose learner is a `StateDictLearner`.

    Raises:
        ValueError: There is no such class.
        UntrustedNameError: The name was read from a store, and the user did not allow it.
    """
    known = plugins.list_plugins(plugins.TRAINEES)
    if spec not in known and ":" not in spec:
        raise UnknownNameError(
            f"trainee {spec!r} is not known{suggest_name(spec, known)}{list_choices(sorted(known))}, or pass "
            '"module:Class" or "path/to/file.py:Class"'
        )
    if spec not in known:
        require_allowed("trainee", spec)
    location = known.get(spec, spec)
    named: object = Trainee
    with suppress(AttributeError, ImportError, FileNotFoundError):  # which `class_at` explains
        named = load_object(location)
    if not callable(named):  # an algorithm
        from card_baselines.league.learner_trainee import make_trainee_class  # which imports PyTorch

        return make_trainee_class(named, spec)
    found: type = class_at(spec, location)
    if not issubclass(found, Trainee):
        raise ValueError(f"{spec!r} is no trainee: a student is of a class derived from card_baselines.league.Trainee")
    return found
