"""The first lines of the help of each command: an example that works, its unit and its cost."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """A command line that works when it is copied."""

    words: str
    """Arguments of `card-envs`."""
    about: str
    """Unit and cost of the results."""


EXAMPLES = {
    "envs": Example("envs", "a table of ids, sizes and rules; half a second"),
    "agents": Example("agents --env limit_holdem-v0", "a line for each agent; half a second"),
    "play": Example("play --env kuhn_poker-v0 --agents cfr", "results in chips; as long as you like, q leaves"),
    "match": Example(
        "match --env limit_holdem-v0 --agents chen always_call --hands 10000",
        "big blinds per 100 hands, or points a hand; about 3 seconds of one core",
    ),
    "advise": Example(
        "advise --env no_limit_holdem-v0 --agent ppo_no_limit_hu --hole AhKd --board 7c8c2s --history 'r4 c / k r8'",
        "probabilities of the actions and equity of the hand; about 5 seconds of one core",
    ),
    "match --panel": Example(
        "match --panel --quick --sections big2", "points a hand; a hundredth of the hands of the whole panel"
    ),
    "match --hands-needed": Example("match --hands-needed --difference 0.05 --sd 5", "hands; seconds"),
    "exploit": Example(
        "exploit --env leduc_holdem-v0 --agent cfr",
        "chips or big blinds a hand; about 4 seconds of one core, and --minutes for a learned response",
    ),
    "match --adapt": Example(
        "match --adapt --env limit_holdem-v0 --agent brennus --styles always_raise always_call --hands-per-style 100"
        " --sessions 2",
        "big blinds per 100 hands; about 7 seconds of one core",
    ),
    "match --report": Example(
        "match --report --agent chen --hands 1000 --exploit-hands 64",
        "big blinds per 100 hands; about 5 seconds of one core",
    ),
    "replay": Example("replay hands.phhs", "counts of hands; about 2 seconds of one core"),
    "play --acpc": Example(
        "play --acpc holdem.limit.2p.reverse_blinds.game --agents chen always_call --hands 100",
        "big blinds per 100 hands; about 4 seconds of one core",
    ),
    "play --slumbot": Example(
        "play --slumbot --agent chen --hands 1000",
        "big blinds per 100 hands; a request to slumbot.com for every decision",
    ),
    "check": Example("check --env kuhn_poker-v0", "a line for each check; about 4 seconds of one core"),
    "bench": Example("bench", "per second of one core; about 13 seconds of one core"),
    "bench learners": Example(
        "bench learners --games kuhn --learners sd_cfr nfsp --seeds 2 --minutes 0.1",
        "chips a hand; --minutes of one core for each game, learner and seed",
    ),
    "bench big2": Example(
        "bench big2 --agent big2_planner --deals 200 --references random big2_greedy ppo_big2",
        "points a game; about 20 seconds of one core",
    ),
    "bench six-max": Example(
        "bench six-max --agent ppo_no_limit_six_max --deals 100 --references tight_aggressive position_ranges",
        "bb/100; about 20 seconds of one core",
    ),
    "bench sweep": Example(
        "bench sweep self_play_ppo env=kuhn_poker-v0 minutes=0.2 learning_rate=1e-4..1e-2 --trials 5",
        "chips a hand; minutes of one core for each trial, and its evaluations",
    ),
    "envs --warmup": Example(
        "envs --warmup --env limit_holdem-v0", "seconds; about 5 of one core where all is compiled"
    ),
    "serve": Example("serve --env limit_holdem-v0 big2-v0", "results in the unit of the game; until Ctrl-C"),
    "serve --openenv": Example(
        "serve --openenv --env no_limit_holdem-v0 --opponents chen", "rewards in the unit of the game; until Ctrl-C"
    ),
    "results": Example("results runs/results.sqlite", "big blinds per 100 hands, or points a hand; seconds"),
    "tournament": Example(
        "tournament chen always_call random", "big blinds a hand; --minutes of one core, then a report"
    ),
    "agents --export": Example(
        "agents --export --agent ppo_big2 --onnx ppo_big2.onnx",
        "a file of network weights; about 4 seconds of one core",
    ),
    "league new": Example("league new leagues/first --env leduc_holdem-v0", "a folder; seconds"),
    "league add": Example(
        "league add leagues/first --division pairs --kind round_robin --teachers cfr random always_call"
        " --set hands=1000",
        "a table of members; seconds",
    ),
    "league run": Example(
        "league run leagues/first --rounds 30", "rounds, of 1,000 hands here; about 12 seconds of one core"
    ),
    "league rank": Example(
        "league rank leagues/first --by mean", "chips, big blinds or points a hand; about 8 seconds of one core"
    ),
    "league report": Example(
        "league report leagues/first", "chips, big blinds or points a hand; about 11 seconds of one core"
    ),
    "league watch": Example("league watch leagues/first", "rounds and ratings; until Ctrl-C"),
    "train": Example(
        "train self_play_ppo --env leduc_holdem-v0 --minutes 1", "decisions, and rewards a hand; --minutes of one core"
    ),
    "demo": Example("demo", "big blinds per 100 hands; two minutes of training, then matches"),
    "reproduce": Example(
        "reproduce shi2022 --scale tiny", "the unit of the paper's table; minutes to days, by --scale"
    ),
}
"""Name of a command -> its example."""


def describe_with_example(name: str, text: str) -> str:
    """Return the description of a command with its example first."""
    example = EXAMPLES.get(name)
    return text if example is None else f"Example: card-envs {example.words}\n({example.about})\n\n{text}"
