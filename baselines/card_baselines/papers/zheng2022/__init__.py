"""Zheng, Feng, Jiang (2022), Cheat'em: a value and rival-aware algorithm on limited Texas hold'em.

| module | holds |
|---|---|
| `card_types` | the rows of the cheating sheet: 45 types of hands |
| `situation` | the paper's four actions, and what the rival did last |
| `sheet` | the cheating sheet: pre-training, files |
| `table_player` | plays by the sheet alone |
| `advantage` | advantage probability |
| `modification` | the network that modifies the sheet's policy, and its loss |
| `cheatem` | Cheat'em and Static-Cheat'em: the learner and the agent |
| `ppo`, `dqn` | the learners it is compared with |
| `rewards` | reward allocation and opportunity cost |
| `duel` | hand after hand between two players of whom some learn |
| `options` | every place where the paper and its code differ, as an experiment |
| `tables` | tables 2 and 3 beside ours |
| `picture` | a sheet drawn |
"""
