"""The names of agents and training algorithms, with the location of each, which is imported when it is used.

`card_envs` finds these mappings through the entry points in pyproject.toml, like those of other distributions.
`card_envs.agent.find_agent` makes an agent from its name.
"""

from __future__ import annotations

from card_baselines.pretrained import PRETRAINED

AGENTS = {
    "always_call": "card_baselines.agents.scripted.simple:AlwaysCall",
    "always_raise": "card_baselines.agents.scripted.simple:AlwaysRaise",
    "random_low_fold": "card_baselines.agents.scripted.simple:RandomLowFold",
    "sklansky": "card_baselines.agents.scripted.starting_hands:Sklansky",
    "sklansky_strict": "card_baselines.agents.scripted.starting_hands:Sklansky",
    "sklansky_loose": "card_baselines.agents.scripted.starting_hands:SklanskyLoose",
    "chen": "card_baselines.agents.scripted.starting_hands:Chen",
    "chen_strict": "card_baselines.agents.scripted.starting_hands:Chen",
    "chen_loose": "card_baselines.agents.scripted.starting_hands:ChenLoose",
    "shi_rules": "card_baselines.agents.scripted.made_hand_rules:ShiRules",
    "shi_rules_strict": "card_baselines.agents.scripted.made_hand_rules:ShiRules",
    "shi_rules_loose": "card_baselines.agents.scripted.made_hand_rules:ShiRulesLoose",
    "rlcard_rule": "card_baselines.agents.scripted.rlcard_rule:RLCardRule",
    "tight_aggressive": "card_baselines.agents.scripted.made_hand_rules:TightAggressive",
    "position_ranges": "card_baselines.agents.scripted.position_ranges:PositionRanges",
    "loose_passive": "card_baselines.agents.scripted.made_hand_rules:LoosePassive",
    "equity": "card_baselines.agents.scripted.equity:Equity",
    "cfr": "card_baselines.solvers.agent:Cfr",
    "cfr_small": "card_baselines.solvers.agent:CfrSmall",
    "cfr_large": "card_baselines.solvers.agent:CfrLarge",
    "cfr_flop": "card_baselines.solvers.agent:CfrFlop",
    "cfr_no_limit": "card_baselines.solvers.agent:CfrNoLimit",
    "cfr_no_limit_200": "card_baselines.solvers.agent:CfrNoLimit200",
    "cfr_limit_six_max": "card_baselines.solvers.agent:CfrLimitSixMax",
    "cfr_no_limit_six_max": "card_baselines.solvers.agent:CfrNoLimitSixMax",
    "resolve": "card_baselines.solvers.resolving.agent:Resolve",
    "resolve_turn": "card_baselines.solvers.resolving.agent:ResolveTurn",
    "mcts": "card_baselines.agents.search.mcts:Mcts",
    "rollout": "card_baselines.agents.search.big2_rollout:Big2Rollout",
    "big2_greedy": "card_baselines.agents.scripted.big2_greedy:Big2Greedy",
    "big2_lowest": "card_baselines.agents.scripted.big2_lowest:Big2Lowest",
    "big2_planner": "card_baselines.agents.scripted.big2_planner:Big2Planner",
    "kaminsky_random": "card_baselines.papers.kaminsky2020.situation:KaminskyRandom",
    "brennus": "card_baselines.papers.maitrepierre2008.brennus:Brennus",
    "brennus_tight": "card_baselines.papers.maitrepierre2008.brennus:BrennusTight",
    "brennus_loose": "card_baselines.papers.maitrepierre2008.brennus:BrennusLoose",
    "brennus_mixed": "card_baselines.papers.maitrepierre2008.brennus:BrennusMixed",
    "brennus_growing": "card_baselines.papers.maitrepierre2008.brennus:BrennusGrowing",
    "brennus_correlated": "card_baselines.papers.maitrepierre2008.brennus:BrennusCorrelated",
    "sparbot_like": "card_baselines.papers.maitrepierre2008.vexbot_like:SparbotLike",
    "vexbot_like": "card_baselines.papers.maitrepierre2008.vexbot_like:VexbotLike",
    "zheng2022_table": "card_baselines.papers.zheng2022.table_player:TablePlayer",
    "zheng2022_table_softmax": "card_baselines.papers.zheng2022.table_player:SoftmaxTablePlayer",
    **{name: row.folder for name, row in PRETRAINED.items()},
}
"""Name -> "module:Class", called with `game` and `folder` if its parameters have these names; or "package/folder"."""

ENCODERS = {
    "holdem.kaminsky404": "card_baselines.papers.kaminsky2020.encoder:KAMINSKY404",
    "holdem.shi2022": "card_baselines.papers.shi2022.encoder:SHI2022",
}
"""Encoders of papers, by family of games and name."""

STYLES = {
    "random": "every legal action alike",
    "random_low_fold": "at random, folds seldom",
    "always_call": "checks or calls",
    "always_raise": "raises whenever it may",
    "loose_passive": "many hands, calls more than it raises",
    "tight_aggressive": "few hands, raises the good ones",
    "position_ranges": "tight in early seats, wide on the button",
    "equity": "pot odds against random hands",
    "sklansky": "Sklansky's ranges, on every street",
    "sklansky_loose": "as sklansky, wider and less steady",
    "chen": "Chen points of its hole cards",
    "chen_loose": "as chen, wider and less steady",
    "shi_rules": "bets top pair, calls pairs and draws",
    "shi_rules_loose": "as shi_rules, wider and less steady",
    "rlcard_rule": "RLCard's rules, ignores the betting",
    "cfr": "solved by CFR, an equilibrium if small",
    "cfr_small": "solved by CFR, coarse abstraction",
    "cfr_large": "solved by CFR-BR, hard to exploit",
    "cfr_flop": "solved by CFR, an equilibrium",
    "cfr_no_limit": "solved by CFR, half of it CFR-BR",
    "cfr_no_limit_200": "as cfr_no_limit, 200 big blinds",
    "cfr_limit_six_max": "solved by Monte Carlo CFR",
    "cfr_no_limit_six_max": "solved by Monte Carlo CFR",
    "resolve": "AGENT:resolve solves the river anew",
    "resolve_turn": "AGENT:resolve_turn solves turn and river",
    "mcts": "tree search over sampled hands, slow",
    "ppo_limit_hu": "network, self-play PPO",
    "distilled_limit_hu": "network, imitates cfr_large",
    "mmd_limit_hu": "network, self-play near distilled_limit_hu",
    "ppo_no_limit_hu": "network, self-play PPO",
    "ppo_limit_six_max": "network, self-play PPO",
    "ppo_no_limit_six_max": "network, self-play PPO",
    "tight_no_limit_six_max": "network, raises or folds as people do",
    "big2_lowest": "lowest card that is legal",
    "big2_greedy": "as many cards as possible, lowest first",
    "big2_planner": "fewest turns to get rid of its hand",
    "ppo_big2": "network, self-play PPO",
    "ppo_big2_clean": "network, sees all cards that were played",
    "rollout": "sampled deals; AGENT:rollout with AGENT",
}
"""Name -> how the agent plays, in a few words. Second names of an agent and agents of papers have none, so that
`card-envs agents` lists them with --all only."""

ALGORITHMS = {
    "maskable_ppo": "card_baselines.sb3.maskable_ppo:ALGORITHM",
    "maskable_dqn": "card_baselines.sb3.maskable_dqn:ALGORITHM",
    "recurrent_ppo": "card_baselines.sb3.recurrent_ppo:ALGORITHM",
    "self_play_ppo": "card_baselines.ppo.algorithm:ALGORITHM",
    "shi2022": "card_baselines.papers.shi2022.training:ALGORITHM",
    "cfr": "card_baselines.solvers.train:CFR",
    "mccfr": "card_baselines.solvers.train:MCCFR",
    "public_chance_cfr": "card_baselines.solvers.train:PUBLIC_CHANCE_CFR",
    "sd_cfr": "card_baselines.neural.sd_cfr:ALGORITHM",
    "dream": "card_baselines.neural.dream:ALGORITHM",
    "nfsp": "card_baselines.neural.nfsp:ALGORITHM",
    "mmd": "card_baselines.neural.mmd:ALGORITHM",
    "asymmetric_ppo": "card_baselines.neural.asymmetric_ppo:ALGORITHM",
    "distill": "card_baselines.neural.distill:ALGORITHM",
    "expert_iteration": "card_baselines.neural.expert_iteration:ALGORITHM",
    "tabular_mccfr": "card_baselines.neural.tabular_mccfr:ALGORITHM",
    "menu_cfr": "card_baselines.solvers.train:MENU_CFR",
    "multiplayer_mccfr": "card_baselines.solvers.train:MULTIPLAYER_MCCFR",
}
"""Name -> "module:NAME" of a `card_baselines.runs.algorithm.Algorithm`."""

SAVED_AGENTS = {
    "mlp": "card_baselines.agents.learned.mlp_agent:MlpAgent",
    "onnx": "card_baselines.agents.learned.onnx_agent:OnnxAgent",
    "recurrent": "card_baselines.agents.learned.recurrent_policy:RecurrentAgent",
    "tabular": "card_baselines.agents.learned.tabular_policy:TabularAgent",
    "snapshots": "card_baselines.average_strategy.snapshots:SnapshotAgent",
    "shi2022": "card_baselines.papers.shi2022.networks:Shi2022Agent",
    "cfr": "card_baselines.solvers.agent:Cfr",
    "vector_cfr": "card_baselines.solvers.agent:VectorCfrAgent",
    "cfr_flop": "card_baselines.solvers.agent:CfrFlop",
    "cfr_no_limit": "card_baselines.solvers.agent:CfrNoLimit",
    "public_state_cfr": "card_baselines.solvers.agent:TableAgent",
    "zheng2022_cheatem": "card_baselines.papers.zheng2022.cheatem:CheatemAgent",
    "zheng2022_network": "card_baselines.papers.zheng2022.networks:NetworkAgent",
    "kaminsky2020": "card_baselines.papers.kaminsky2020.players:Kaminsky2020Agent",
}
"""Value of "agent" in the config.json of a run folder -> "module:Class" of the agent that plays the saved model."""

TRAINEES = {
    "qlearn_8": "card_baselines.papers.kaminsky2020.students:Qlearn8",
    "qlearn_all": "card_baselines.papers.kaminsky2020.students:QlearnAll",
    "qlearn_all_balanced": "card_baselines.papers.kaminsky2020.students:QlearnAllBalanced",
    "sac_low": "card_baselines.papers.kaminsky2020.students:SacLow",
    "sac_high": "card_baselines.papers.kaminsky2020.students:SacHigh",
}
"""Name -> "module:Class" of agents that learn in a league: `card_baselines.league.Trainee`."""

SCHEMES = {
    "hf": "card_baselines.agents.hub_agent:HubAgent",
    "llm": "card_baselines.agents.language_model:LanguageModel",
    "policy": "card_baselines.agents.learned.policy_agent:PolicyAgent",
}
"""Scheme -> "module:Class": `llm:MODEL` is called with `argument="MODEL"`."""
