"""Sound training loops that look suspicious: each is a whole program, and gives tape, target and source."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn


def gradient_accumulation(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record() as tape:
        optimizer.zero_grad()
        for _ in range(3):
            loss = model(torch.randn(4, 3)).square().mean() / 3
            loss.backward()
        optimizer.step()
    return tape, loss, model.weight


def two_losses_two_passes(record):
    body, a, b = nn.Linear(3, 3), nn.Linear(3, 1), nn.Linear(3, 1)
    optimizer = torch.optim.Adam([*body.parameters(), *a.parameters(), *b.parameters()])
    with record() as tape:
        optimizer.zero_grad()
        h = body(torch.randn(4, 3))
        first, second = a(h).square().mean(), b(h).abs().mean()
        first.backward(retain_graph=True)
        second.backward()
        optimizer.step()
    return tape, second, body.weight


def adversarial_example(record):
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(4, 3, requires_grad=True)
    with record() as tape:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), torch.tensor([0, 1, 0, 1]))
        loss.backward()
        attacked = (x + 0.1 * x.grad.sign()).detach()
        optimizer.step()
    assert attacked.shape == x.shape
    return tape, loss, x


def zero_grad_at_the_end(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record() as tape:
        for _ in range(3):
            loss = model(torch.randn(4, 3)).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    return tape, loss, model.weight


def zeros_instead_of_none(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    with record() as tape:
        for _ in range(3):
            optimizer.zero_grad(set_to_none=False)
            loss = model(torch.randn(4, 3)).square().mean()
            loss.backward()
            optimizer.step()
    return tape, loss, model.weight


def manual_descent(record):
    w = torch.ones(3, requires_grad=True)
    with record() as tape:
        for _ in range(3):
            loss = (w**2).sum()
            loss.backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
            w.grad.zero_()
    return tape, loss, w


def manual_descent_with_none(record):
    w = torch.ones(3, requires_grad=True)
    with record() as tape:
        for _ in range(3):
            w.grad = None
            loss = (w**2).sum()
            loss.backward()
            w.data -= 0.1 * w.grad
    return tape, loss, w


def clipped_gradients(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record() as tape:
        for _ in range(2):
            optimizer.zero_grad()
            loss = model(torch.randn(4, 3)).square().mean()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
    return tape, loss, model.weight


def warm_up_from_zero(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(step / 10, 1.0))
    with record() as tape:
        optimizer.zero_grad()
        loss = model(torch.randn(4, 3)).square().mean()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return tape, loss, model.weight


def gan_step_of_the_critic(record):
    generator, critic = nn.Linear(2, 3), nn.Linear(3, 1)
    optimizer_g = torch.optim.Adam(generator.parameters())
    optimizer_d = torch.optim.Adam(critic.parameters())
    with record() as tape:
        optimizer_d.zero_grad()
        fake = generator(torch.randn(5, 2))
        loss_d = critic(fake.detach()).mean() - critic(torch.randn(5, 3)).mean()
        loss_d.backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        loss_g = -critic(fake).mean()
        loss_g.backward()
        optimizer_g.step()
    return tape, loss_d, critic.weight


def gan_step_of_the_generator(record):
    generator, critic = nn.Linear(2, 3), nn.Linear(3, 1)
    optimizer_g = torch.optim.Adam(generator.parameters())
    optimizer_d = torch.optim.Adam(critic.parameters())
    with record() as tape:
        optimizer_d.zero_grad()
        fake = generator(torch.randn(5, 2))
        loss_d = critic(fake.detach()).mean() - critic(torch.randn(5, 3)).mean()
        loss_d.backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        loss_g = -critic(fake).mean()
        loss_g.backward()
        optimizer_g.step()
    return tape, loss_g, generator.weight


def truncated_backpropagation(record):
    cell, head = nn.RNNCell(2, 3), nn.Linear(3, 1)
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.01)
    h = torch.zeros(1, 3)
    with record() as tape:
        for _ in range(3):
            h = h.detach()
            loss = torch.zeros(())
            for x in torch.randn(4, 1, 2):
                h = cell(x, h)
                loss = loss + (head(h) - 1).square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return tape, loss, cell.weight_hh


def evaluation_between_steps(record):
    model, log = nn.Linear(3, 1), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with record() as tape:
        for _ in range(2):
            model.train()
            optimizer.zero_grad()
            loss = model(torch.randn(4, 3)).square().mean()
            loss.backward()
            optimizer.step()
            model.eval()
            with torch.no_grad():
                log.append(model(torch.randn(4, 3)).mean().item())
    return tape, loss, model.weight


def gradients_are_printed(record):
    w = nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([w], lr=0.1)
    norms = []
    with record() as tape:
        for _ in range(2):
            optimizer.zero_grad()
            loss = (w**2).sum()
            loss.backward()
            norms.append(w.grad.norm().item())
            optimizer.step()
    return tape, loss, w


def closure_of_lbfgs(record):
    w = nn.Parameter(torch.ones(3))
    optimizer = torch.optim.LBFGS([w], max_iter=3)
    kept = []

    def closure():
        optimizer.zero_grad()
        loss = ((w - 2) ** 4).sum()
        loss.backward()
        kept.append(loss)
        return loss

    with record() as tape:
        optimizer.step(closure)
    return tape, kept[0], w


def gradient_by_autograd_grad(record):
    w = torch.ones(3, requires_grad=True)
    with record() as tape:
        for _ in range(2):
            loss = (w**2).sum()
            (g,) = torch.autograd.grad(loss, w)
            with torch.no_grad():
                w.sub_(0.1 * g)
    return tape, loss, w


def intermediate_result(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        h = torch.exp(w)
        loss = (h * 2).sum()
    return tape, loss, h


def intermediate_result_with_retain_grad(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        h = torch.exp(w)
        h.retain_grad()
        loss = (h * 2).sum()
        loss.backward()
    return tape, loss, h


def intermediate_result_by_grad(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        h = torch.exp(w)
        loss = (h * 2).sum()
        (g,) = torch.autograd.grad(loss, h, retain_graph=True)
        loss.backward()
    assert g.shape == h.shape
    return tape, loss, h


def input_gradient_without_optimizer(record):
    model = nn.Linear(3, 2)
    x = torch.randn(1, 3, requires_grad=True)
    with record() as tape:
        score = model(x)[0, 1]
        score.backward()
    return tape, score, x


def backward_outside_of_the_block(record):
    model = nn.Linear(3, 2)
    with record() as tape:
        loss = model(torch.ones(4, 3)).square().mean()
    loss.backward()
    return tape, loss, model.weight


def retained_graph_outside(record):
    model = nn.Linear(3, 2)
    with record() as tape:
        loss = model(torch.ones(4, 3)).square().mean()
    loss.backward(retain_graph=True)
    return tape, loss, model.weight


def scaled_loss(record):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", enabled=True)
    with record() as tape:
        optimizer.zero_grad()
        loss = model(torch.randn(4, 3)).square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return tape, loss, model.weight


def parameters_in_groups(record):
    a, b = nn.Linear(3, 3), nn.Linear(3, 1)
    optimizer = torch.optim.AdamW([{"params": a.parameters(), "lr": 1e-4}, {"params": b.parameters()}], lr=1e-3)
    with record(optimizer=optimizer) as tape:
        loss = b(a(torch.randn(4, 3))).square().mean()
        loss.backward()
        optimizer.step()
    return tape, loss, a.weight


def loaded_state(record):
    model, other = nn.Linear(3, 1), nn.Linear(3, 1)
    with record() as tape:
        model.load_state_dict(other.state_dict())
        loss = model(torch.randn(4, 3)).square().mean()
        loss.backward()
    return tape, loss, model.weight


def converted_before_use(record):
    with record() as tape:
        model = nn.Linear(3, 1).to(torch.float64)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loss = model(torch.randn(4, 3, dtype=torch.float64)).square().mean()
        loss.backward()
        optimizer.step()
    return tape, loss, model.weight


def already_at_the_minimum(record):
    w = nn.Parameter(torch.ones(3))
    with record() as tape:
        loss = F.mse_loss(w, torch.ones(3))
        loss.backward()
    return tape, loss, w
