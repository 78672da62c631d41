"""The loss of PPO: Schulman et al. (2017), Proximal policy optimization algorithms, equations 7 to 9."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from card_baselines.ppo.config import Config, Rates


def ppo_loss(
    log_probabilities: torch.Tensor,
    value: torch.Tensor,
    advantage: torch.Tensor,
    taken: Mapping[str, torch.Tensor],
    rates: Rates,
    config: Config,
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return the clipped objective, KL divergence, entropy and value error of n decisions as one loss, and measures.

    `log_probabilities` (n, k) of the k actions that a decision had and `value` (n,) are the network's now; `advantage`
    (n,) is how much better the action was. `taken` holds which one it was (`choice`), its `log_probability` and the
    `value` when it was taken, and the `target` of the value, each (n,).
    """
    entropy = -(log_probabilities.exp() * log_probabilities).sum(dim=1).mean()
    change = log_probabilities.gather(1, taken["choice"][:, None])[:, 0] - taken["log_probability"]
    ratio = change.exp()
    objective = torch.minimum(ratio * advantage, ratio.clamp(1 - rates.clip, 1 + rates.clip) * advantage).mean()
    error = (value - taken["target"]).square()
    if config.clip_value:
        near = taken["value"] + (value - taken["value"]).clamp(-rates.clip, rates.clip)
        error = torch.maximum(error, (near - taken["target"]).square())
    value_loss = 0.5 * error.mean()
    kl = (ratio - 1 - change).mean()
    loss = -objective + rates.kl_penalty * kl - rates.entropy * entropy + config.value_weight * value_loss
    return loss, {"entropy": entropy, "value_loss": value_loss, "kl": kl}
