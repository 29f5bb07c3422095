"""Sound programs that look suspicious: each function gives a loss, the parameters that are trained, and the one asked for."""

from __future__ import annotations

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


def target_network():
    online, goal = nn.Linear(3, 2), nn.Linear(3, 2)
    x = torch.randn(5, 3)

    def loss():
        wanted = goal(x).detach().max(1).values
        return (online(x).max(1).values - wanted).square().mean()

    return loss, [*online.parameters()], online.weight


def target_network_under_no_grad():
    online = nn.Linear(3, 2)
    goal = copy.deepcopy(online)
    goal.bias.data.add_(1.0)
    x = torch.randn(5, 3)

    def loss():
        with torch.no_grad():
            wanted = goal(x)
        return F.mse_loss(online(x), wanted)

    return loss, [*online.parameters()], online.weight


def metrics_under_no_grad():
    model, x, y = nn.Linear(4, 3), torch.randn(6, 4), torch.randint(0, 3, (6,))

    def loss():
        logits = model(x)
        with torch.no_grad():
            accuracy = (logits.argmax(1) == y).float().mean()
        assert accuracy >= 0
        return F.cross_entropy(logits, y)

    return loss, [*model.parameters()], model.weight


def item_for_logging():
    model, x, log = nn.Linear(4, 1), torch.randn(6, 4), []

    def loss():
        out = model(x).square().mean()
        log.append(out.item())
        return out

    return loss, [*model.parameters()], model.weight


def numpy_for_plotting():
    w, points = nn.Parameter(torch.randn(3)), []

    def loss():
        y = torch.sin(w)
        points.append(y.detach().numpy().copy())
        return (y - 1).square().sum()

    return loss, [w], w


def shared_weights():
    w = nn.Parameter(torch.randn(3, 3))
    x = torch.randn(4, 3)
    return (lambda: (torch.tanh(x @ w) @ w.T - x).square().mean()), [w], w


def tied_embedding():
    table = nn.Embedding(7, 4)
    ids = torch.randint(0, 7, (3, 5))
    return (
        (lambda: F.cross_entropy((table(ids).mean(1) @ table.weight.T), ids[:, 0])),
        [*table.parameters()],
        table.weight,
    )


def frozen_backbone_head_is_asked_for():
    body, head = nn.Linear(3, 4), nn.Linear(4, 1)
    body.requires_grad_(False)
    x = torch.randn(5, 3)
    return (lambda: head(torch.relu(body(x))).square().mean()), [*head.parameters()], head.weight


def backbone_under_no_grad_head_is_asked_for():
    body, head = nn.Linear(3, 4), nn.Linear(4, 1)
    x = torch.randn(5, 3)

    def loss():
        with torch.no_grad():
            h = body(x)
        return (head(h) - 1).square().mean()

    return loss, [*head.parameters()], head.weight


def checkpointed():
    a, b = nn.Linear(3, 3), nn.Linear(3, 1)
    x = torch.randn(5, 3)

    def loss():
        h = checkpoint(lambda t: torch.tanh(a(t)), x, use_reentrant=False)
        return b(h).square().mean()

    return loss, [*a.parameters(), *b.parameters()], a.weight


def checkpointed_reentrant():
    a, b = nn.Linear(3, 3), nn.Linear(3, 1)
    x = torch.randn(5, 3, requires_grad=True)

    def loss():
        h = checkpoint(lambda t: torch.tanh(a(t)), x, use_reentrant=True)
        return b(h).square().mean()

    return loss, [*a.parameters(), *b.parameters()], b.weight


def vmapped():
    w = nn.Parameter(torch.randn(3))
    x = torch.randn(6, 3)
    return (lambda: torch.vmap(lambda row: torch.tanh(row @ w))(x).sum()), [w], w


class _Clipped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(-1, 1)

    @staticmethod
    def backward(ctx, g):
        return g


def custom_function():
    w = nn.Parameter(torch.randn(3) * 3)
    return (lambda: (_Clipped.apply(w * 2) - 3).square().sum()), [w], w


class _TwoInputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x * scale

    @staticmethod
    def backward(ctx, g):
        return g * ctx.scale, None


def custom_function_with_a_constant():
    w = nn.Parameter(torch.randn(3))
    return (lambda: _TwoInputs.apply(w, 3.0).exp().sum()), [w], w


def straight_through():
    w = nn.Parameter(torch.rand(4) * 3)

    def loss():
        hard = torch.round(w)
        return ((w + (hard - w).detach()) * torch.arange(1.0, 5.0)).sum()

    return loss, [w], w


def stop_gradient_of_a_statistic():
    w = nn.Parameter(torch.randn(8))

    def loss():
        scale = w.detach().abs().max()
        return (w / scale).pow(3).sum()

    return loss, [w], w


def advantage_is_detached():
    policy, value = nn.Linear(3, 2), nn.Linear(3, 1)
    x, action, reward = torch.randn(6, 3), torch.randint(0, 2, (6,)), torch.randn(6)

    def loss():
        v = value(x).squeeze(-1)
        advantage = (reward - v).detach()
        logp = F.log_softmax(policy(x), -1)[torch.arange(6), action]
        return -(logp * advantage).mean() + F.mse_loss(v, reward)

    return loss, [*policy.parameters(), *value.parameters()], policy.weight


def sampled_action():
    policy = nn.Linear(3, 4)
    x = torch.randn(6, 3)

    def loss():
        distribution = torch.distributions.Categorical(logits=policy(x))
        action = distribution.sample()
        return -(distribution.log_prob(action) * torch.arange(1.0, 7.0)).mean()

    return loss, [*policy.parameters()], policy.weight


def reparameterised():
    mean, log_std = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(3))

    def loss():
        z = mean + log_std.exp() * torch.randn(3)
        return (z - 2).square().sum() - log_std.sum()

    return loss, [mean, log_std], log_std


def masked_loss():
    model, x = nn.Linear(3, 1), torch.randn(6, 3)
    mask = torch.tensor([1.0, 1, 0, 0, 1, 0])
    return (
        (lambda: ((model(x).squeeze(-1) - 1).square() * mask).sum() / mask.sum()),
        [*model.parameters()],
        model.weight,
    )


def causal_attention():
    qkv = nn.Linear(4, 12)
    x = torch.randn(2, 5, 4)
    hidden = torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)

    def loss():
        q, k, v = qkv(x).chunk(3, -1)
        scores = (q @ k.mT / 2).masked_fill(hidden, float("-inf"))
        return (torch.softmax(scores, -1) @ v).square().mean()

    return loss, [*qkv.parameters()], qkv.weight


def relu_with_some_dead_units():
    layer, head = nn.Linear(3, 8), nn.Linear(8, 1)
    with torch.no_grad():
        layer.bias[:4] = -100.0
    x = torch.randn(9, 3)
    return (
        (lambda: (head(F.relu(layer(x))) - 1).square().mean()),
        [*layer.parameters(), *head.parameters()],
        layer.weight,
    )


def zero_initialised_head():
    body, head = nn.Linear(3, 4), nn.Linear(4, 1)
    nn.init.zeros_(head.weight)
    nn.init.zeros_(head.bias)
    x, y = torch.randn(5, 3), torch.randn(5, 1)
    return (lambda: F.mse_loss(head(torch.tanh(body(x))), y)), [*body.parameters(), *head.parameters()], body.weight


def low_rank_adapter():
    base, a, b = nn.Linear(4, 4), nn.Parameter(torch.randn(4, 2)), nn.Parameter(torch.zeros(2, 4))
    base.requires_grad_(False)
    x, y = torch.randn(5, 4), torch.randn(5, 4)
    return (lambda: F.mse_loss(base(x) + x @ a @ b, y)), [a, b], a


def zero_initialised_gate():
    block, gate = nn.Linear(3, 3), nn.Parameter(torch.zeros(1))
    x, y = torch.randn(5, 3), torch.randn(5, 3)
    return (lambda: F.mse_loss(x + gate * torch.tanh(block(x)), y)), [*block.parameters(), gate], block.weight


def safe_sqrt():
    w = nn.Parameter(torch.tensor([0.0, 1.0, 4.0]))

    def loss():
        positive = w > 0
        return torch.where(positive, torch.sqrt(torch.where(positive, w, 1.0)), 0.0).sum()

    return loss, [w], w


def norm_with_epsilon():
    w = nn.Parameter(torch.zeros(3) + 0.5)
    return (lambda: torch.sqrt((w**2).sum() + 1e-8)), [w], w


def infinity_that_is_masked():
    w = nn.Parameter(torch.randn(4))

    def loss():
        x = torch.tensor([1.0, float("inf"), 2.0, 3.0])
        return (w[torch.isfinite(x)] * x[torch.isfinite(x)]).sum()

    return loss, [w], w


def branches():
    w = nn.Parameter(torch.randn(3))

    def loss():
        y = w * 2
        return y.square().sum() if float(y.sum()) > 0 else y.abs().sum()

    return loss, [w], w


def loop_over_time():
    cell, head = nn.GRUCell(2, 3), nn.Linear(3, 1)
    steps = torch.randn(6, 1, 2)

    def loss():
        h = torch.zeros(1, 3)
        for x in steps:
            h = cell(x, h)
        return head(h).square().sum()

    return loss, [*cell.parameters(), *head.parameters()], cell.weight_hh


def truncated_once():
    cell, head = nn.RNNCell(2, 3), nn.Linear(3, 1)
    state = {"h": torch.zeros(1, 3)}

    def loss():
        h = state["h"].detach()
        total = torch.zeros(())
        for x in torch.randn(4, 1, 2):
            h = cell(x, h)
            total = total + (head(h) - 1).square().sum()
        state["h"] = h
        return total

    return loss, [*cell.parameters(), *head.parameters()], cell.weight_hh


def pairwise_distances():
    x = nn.Parameter(torch.randn(5))
    return (lambda: (x[:, None] - x[None, :]).square().sum()), [x], x


def pairwise_with_data():
    x, centres = nn.Parameter(torch.randn(5)), torch.randn(3)
    return (lambda: torch.exp(-((x[:, None] - centres) ** 2)).sum()), [x], x


def squeezed_prediction():
    model, x, y = nn.Linear(3, 1), torch.randn(8, 3), torch.randn(8)
    return (lambda: F.mse_loss(model(x).squeeze(-1), y)), [*model.parameters()], model.weight


def mean_is_taken_away():
    model, x = nn.Linear(3, 4), torch.randn(8, 3)

    def loss():
        out = model(x)
        return ((out - out.mean(1, keepdim=True)) ** 2).mean()

    return loss, [*model.parameters()], model.weight


def in_place_on_a_buffer():
    model, x = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1)), torch.randn(8, 3)
    return (lambda: model(x).square().mean()), [*model.parameters()], model[0].weight


def in_place_relu():
    model, x = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Linear(4, 1)), torch.randn(8, 3)
    return (lambda: model(x).square().mean()), [*model.parameters()], model[0].weight


def in_place_sum():
    w = nn.Parameter(torch.randn(3))

    def loss():
        total = torch.zeros(3)
        for k in range(3):
            total += w * k
        return total.square().sum()

    return loss, [w], w


def filled_tensor():
    w = nn.Parameter(torch.randn(3))

    def loss():
        out = torch.empty(3)
        for k in range(3):
            out[k] = torch.sin(w[k])
        return out.sum()

    return loss, [w], w


def dropout():
    model, x = nn.Sequential(nn.Linear(3, 16), nn.Dropout(0.5), nn.Linear(16, 1)), torch.randn(8, 3)
    return (lambda: model(x).square().mean()), [*model.parameters()], model[0].weight


def hook_that_looks():
    w, seen = nn.Parameter(torch.randn(3)), []
    w.register_hook(lambda g: seen.append(float(g.norm())))
    return (lambda: (w**2).sum()), [w], w


def hook_that_gives_the_same():
    w = nn.Parameter(torch.randn(3))

    def loss():
        h = w * 2
        h.register_hook(lambda g: g.clone())
        return h.square().sum()

    return loss, [w], w


def hook_that_clips_nothing():
    w = nn.Parameter(torch.randn(3))
    w.register_hook(lambda g: g.clamp(-1e6, 1e6))
    return (lambda: (w**2).sum()), [w], w


def retained_result():
    w, kept = nn.Parameter(torch.randn(3)), []

    def loss():
        h = torch.exp(w)
        h.retain_grad()
        kept.append(h)
        return h.sum()

    return loss, [w], w


def mixed_precision():
    model, x = nn.Linear(4, 2), torch.randn(6, 4)

    def loss():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(x)
        return out.float().square().mean()

    return loss, [*model.parameters()], model.weight


def half_the_batch_is_ignored():
    model = nn.Linear(4, 3)
    x, y = torch.randn(6, 4), torch.tensor([0, 1, -100, -100, 2, 0])
    return (lambda: F.cross_entropy(model(x), y, ignore_index=-100)), [*model.parameters()], model.weight


def auxiliary_loss_of_weight_zero():
    a, b = nn.Linear(3, 3), nn.Linear(3, 1)
    x = torch.randn(5, 3)

    def loss():
        h = a(x)
        return b(h).square().mean() + 0.0 * h.abs().mean()

    return loss, [*a.parameters(), *b.parameters()], a.weight


def gradient_penalty():
    critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))

    def loss():
        x = torch.randn(5, 2, requires_grad=True)
        (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
        return (slope.norm(dim=1) - 1).square().mean()

    return loss, [*critic.parameters()], critic[0].weight


def inner_step():
    w = nn.Parameter(torch.randn(3))

    def loss():
        inner = (w**2).sum()
        (g,) = torch.autograd.grad(inner, w, create_graph=True)
        fast = w - 0.1 * g
        return (fast - 1).square().sum()

    return loss, [w], w


def generator_through_the_critic():
    generator, critic = nn.Linear(2, 3), nn.Linear(3, 1)
    for p in critic.parameters():
        p.requires_grad_(False)
    return (lambda: -critic(generator(torch.randn(8, 2))).mean()), [*generator.parameters()], generator.weight


def contrastive_with_momentum_encoder():
    query = nn.Linear(4, 3)
    key = copy.deepcopy(query)

    def loss():
        with torch.no_grad():
            for p, q in zip(key.parameters(), query.parameters(), strict=True):
                p.mul_(0.9).add_(q, alpha=0.1)
            k = F.normalize(key(torch.ones(5, 4) + torch.randn(5, 4)), dim=1)
        q = F.normalize(query(torch.randn(5, 4)), dim=1)
        return F.cross_entropy(q @ k.T, torch.arange(5))

    return loss, [*query.parameters()], query.weight


def exponential_average_of_weights():
    model = nn.Linear(3, 1)
    average = {name: p.detach().clone() for name, p in model.named_parameters()}

    def loss():
        for name, p in model.named_parameters():
            average[name] = 0.9 * average[name] + 0.1 * p.detach()
        return model(torch.ones(4, 3)).square().mean()

    return loss, [*model.parameters()], model.weight


def hard_example_mining():
    model, x, y = nn.Linear(3, 1), torch.randn(10, 3), torch.randn(10, 1)

    def loss():
        each = (model(x) - y).square().squeeze(1)
        hardest = each.detach().topk(4).indices
        return each[hardest].mean()

    return loss, [*model.parameters()], model.weight


def curriculum_weight_from_the_loss():
    model, x = nn.Linear(3, 1), torch.randn(10, 3)

    def loss():
        out = (model(x) - 1).square().mean()
        weight = min(1.0, math.exp(-float(out)))
        return out * (1 + weight)

    return loss, [*model.parameters()], model.weight


def quantised_with_learned_scale():
    w, scale = nn.Parameter(torch.randn(6)), nn.Parameter(torch.tensor(0.1))

    def loss():
        q = w / scale
        q = q + (q.round() - q).detach()
        return ((q * scale) - 0.37).square().sum()

    return loss, [w, scale], w


def vector_quantiser():
    encoder, book = nn.Linear(3, 2), nn.Embedding(4, 2)
    x = torch.randn(5, 3)

    def loss():
        z = encoder(x)
        nearest = torch.cdist(z.detach(), book.weight.detach()).argmin(1)
        e = book(nearest)
        out = z + (e - z).detach()
        return out.square().mean() + F.mse_loss(e, z.detach()) + 0.25 * F.mse_loss(z, e.detach())

    return loss, [*encoder.parameters(), *book.parameters()], encoder.weight


def codebook():
    loss, parameters, _ = vector_quantiser()
    return loss, parameters, parameters[-1]


def buffers_and_numpy_masks():
    w = nn.Parameter(torch.randn(4))
    mask = np.array([True, False, True, True])
    return (lambda: w[torch.from_numpy(mask)].square().sum()), [w], w


def max_pooling():
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(18, 3))
    x = torch.randn(2, 1, 8, 8)
    return (lambda: F.cross_entropy(model(x), torch.tensor([0, 2]))), [*model.parameters()], model[0].weight


def sparse_embedding():
    table, ids = nn.Embedding(50, 3), torch.tensor([1, 4])
    return (lambda: table(ids).square().sum()), [*table.parameters()], table.weight


def list_of_modules():
    layers, x = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)]), torch.randn(4, 3)

    def loss():
        h = x
        for layer in layers:
            h = torch.tanh(layer(h))
        return h.square().mean()

    return loss, [*layers.parameters()], layers[0].weight


def functional_call():
    model = nn.Linear(3, 1)
    parameters = dict(model.named_parameters())
    x = torch.randn(4, 3)
    return (
        (lambda: torch.func.functional_call(model, parameters, x).square().mean()),
        [*model.parameters()],
        model.weight,
    )


def lstm():
    net, head = nn.LSTM(2, 4, batch_first=True), nn.Linear(4, 1)
    x = torch.randn(3, 5, 2)

    def loss():
        _, (h, _) = net(x)
        return head(h[-1]).square().mean()

    return loss, [*net.parameters(), *head.parameters()], net.weight_hh_l0


def transformer_layer():
    net = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    x = torch.randn(2, 4, 8)
    return (lambda: net(x)[..., :3].square().mean()), [*net.parameters()], net.self_attn.in_proj_weight


def weight_norm():
    layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    return (
        (lambda: layer(torch.ones(4, 3)).square().mean()),
        [*layer.parameters()],
        layer.parametrizations.weight.original1,
    )


def spectral_penalty():
    w = nn.Parameter(torch.randn(3, 3))
    return (lambda: torch.linalg.svdvals(w).max() + w.square().sum()), [w], w


def sorted_values():
    w = nn.Parameter(torch.randn(6))
    return (lambda: (w.sort().values * torch.arange(6.0)).sum()), [w], w


def data_is_detached_and_cloned():
    model, x = nn.Linear(3, 1), torch.randn(6, 3, requires_grad=True)

    def loss():
        return model(x.detach().clone()).square().mean()

    return loss, [*model.parameters()], model.weight


def gumbel_softmax():
    logits, table = nn.Parameter(torch.randn(2, 4)), nn.Parameter(torch.randn(4, 3))
    return (lambda: (F.gumbel_softmax(logits, hard=True) @ table - 1).square().sum()), [logits, table], logits


def importance_ratio():
    policy, x, action = nn.Linear(3, 2), torch.randn(6, 3), torch.randint(0, 2, (6,))
    advantage = torch.randn(6)

    def loss():
        logp = F.log_softmax(policy(x), -1)[torch.arange(6), action]
        ratio = torch.exp(logp - logp.detach())
        clipped = ratio.clamp(0.8, 1.2)
        return -torch.minimum(ratio * advantage, clipped * advantage).mean()

    return loss, [*policy.parameters()], policy.weight
