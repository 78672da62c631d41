"""Zheng, Feng, Jiang (2022), Cheat'em: a value and rival-aware algorithm on limited Texas hold'em.

| module | holds |
|---|---|
| `card_types` | the rows of the cheating sheet, 45 types of hands, and how often they come |
| `situation` | the paper's four actions, and what the rival did last |
| `sheet` | the cheating sheet: pre-training, files |
| `table_player` | plays by the sheet alone |
| `advantage` | advantage probability |
| `duel` | hand after hand between learners and rivals, many runs side by side |
| `stacks` | networks of many runs side by side |
| `cheatem` | Cheat'em and Static-Cheat'em: the network that modifies the sheet's policy, learners and player |
| `networks` | what trained players share, and the learners that Cheat'em is compared with: `ppo`, `dqn` |
| `paper`, `reproduction` | what the paper printed and says, and how it is computed again |
"""
