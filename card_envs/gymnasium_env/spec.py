"""`CardSpec`: a Gymnasium spec that says what it cannot write as JSON."""

from __future__ import annotations

import json
from dataclasses import fields

from gymnasium.envs.registration import EnvSpec


class CardSpec(EnvSpec):
    """Arguments with which `gymnasium.make` makes an environment again."""

    def to_json(self) -> str:
        """Return the spec as JSON; TypeError if an argument is an object, such as an agent."""
        for name, value in self.kwargs.items():
            try:
                json.dumps(value)
            except TypeError:
                raise TypeError(
                    f"spec.to_json() cannot hold {name}={value!r} of type {type(value).__name__}: pass a name in its "
                    'place, such as opponents="tight_aggressive" or "my_agents.py:MyAgent", or pickle the spec'
                ) from None
        return super().to_json()


def to_card_spec(spec: EnvSpec | None) -> CardSpec | None:
    """Return a spec of Gymnasium as a `CardSpec`."""
    if spec is None:
        return None
    return CardSpec(**{each.name: getattr(spec, each.name) for each in fields(EnvSpec) if each.init})
