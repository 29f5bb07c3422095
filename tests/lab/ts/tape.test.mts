import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestBoxes, boxGraph } from '../../../autodiff_kit/lab/src/inspector/graphBoxes.ts';
import { columnWidth, visibleColumns } from '../../../autodiff_kit/lab/src/inspector/tableColumns.ts';
import { matchesSearch, tableRows } from '../../../autodiff_kit/lab/src/inspector/tableRows.ts';
import { KIND } from '../../../autodiff_kit/lab/src/inspector/valueFormat.ts';
import { decodeIntegers } from '../../../autodiff_kit/lab/src/inspector/tapeColumns.ts';
import { InspectorState } from '../../../autodiff_kit/lab/src/inspector/inspectorState.ts';
import { mostSevereKind } from '../../../autodiff_kit/lab/src/inspector/nodeGroups.ts';
import { chunkStarts, Tape, expandRuns } from '../../../autodiff_kit/lab/src/inspector/tape.ts';
import { RequestError } from '../../../autodiff_kit/lab/src/services/protocol.ts';
import { later, open, RecordedKernel, recorded } from './recordedKernel.mts';

const beside = { lineText: () => '', lineLabel: () => '', cellLabel: () => '', isEdited: () => false, goToLine: () => undefined };

async function state(name: string): Promise<InspectorState> {
  const s = new InspectorState(beside);
  s.tape = (await open(name)).tape;
  Object.assign(s, { forwardEnd: s.tape.n, reverseEnd: 0 });
  return s;
}

test('a tape is read from its columns', async () => {
  const { tape } = await open('push');
  assert.equal(tape.n, 12);
  assert.equal(tape.label(0), 'x');
  assert.equal(tape.op(11), 'stack');
  assert.deepEqual(tape.inputs(3), [1, 2]);
  assert.deepEqual(tape.consumers(0), [1, 2, 4, 5, 7, 9]);
  assert.equal(tape.target, 11);
  assert.deepEqual(tape.sourcesWithoutGradient(), []);
});

const TIMES = 200;
const COLUMNS = ['op', 'shape', 'dtype', 'line', 'module', 'arity'];

const numbers = (text: string, many: number): number[] => [...decodeIntegers(text, many)];

/** As the kernel sends them. */
function packed(list: number[]): string {
  const most = Math.max(0, ...list);
  const Wide = most < 256 ? Uint8Array : most < 65536 ? Uint16Array : Uint32Array;
  return Buffer.from(new Wide(list).buffer).toString('base64');
}

test('a long record comes in pieces, the first with the head, and is the same as in one', async () => {
  const small = recorded('attention');
  const columns = stretched(small['tape.columns']);
  const ends = [0];
  columns.arity.forEach((many: number, i: number) => ends.push(ends[i] + many));
  const costs = { ...small['tape.costs'], ...Object.fromEntries(['flops', 'flops_back', 'bytes'].map(k => [k, again(small['tape.costs'][k], 0)])) };
  const n = columns.op.length;
  const cut = (args: any): any => {
    const part = Object.fromEntries(COLUMNS.map(k => [k, packed(columns[k].slice(args.a, args.b))]));
    return { ...part, a: args.a, b: args.b, inputs: packed(columns.inputs.slice(ends[args.a], ends[args.b])) };
  };
  const priced = (args: any): any => ({ ...costs, a: args.a, b: args.b, ...Object.fromEntries(['flops', 'flops_back', 'bytes'].map(k => [k, costs[k].slice(args.a, args.b)])) });
  const head = { ...small['tape.head'], n, columns: cut({ a: 0, b: 6000 }) };
  const kinds = (args: any): any => ({ ...small['tape.kinds'], value: 'v'.repeat(args.b - args.a), cotangent: 'v'.repeat(args.b - args.a) });
  for (const told of [0, n, n - 1]) {
    const pieces = new RecordedKernel({ ...small, 'tape.head': head, 'tape.columns': cut, 'tape.costs': priced, 'tape.kinds': kinds });
    const tape = await Tape.open(pieces, 't1', undefined, told);
    const asked = pieces.asked.filter(([ask]) => ask === 'tape.columns').length;
    assert.equal(asked, (Math.ceil(n / 6000) - 1) * (told === n - 1 ? 2 : 1), `told ${told}`);
    for (let i = 0; i < n; i++) {
      assert.deepEqual(tape.inputs(i), columns.inputs.slice(ends[i], ends[i + 1]), `node ${i}`);
    }
    assert.equal(pieces.asked.filter(([ask]) => ask === 'tape.costs').length, 0, 'costs wait until the first drawing');
    await tape.loadCostsAndKinds();
    assert.deepEqual([...tape.columns.cost.flops], costs.flops);
    assert.deepEqual(tape.totals, costs.totals);
  }
});

const again = (list: number[], add: number): number[] => Array.from({ length: TIMES }, (_, k) => list.map(x => x + k * add)).flat();

/** The same record again and again: a long one. */
function stretched(c: any): any {
  const plain = Object.fromEntries(COLUMNS.map(k => [k, numbers(c[k], c.b)]));
  const read = numbers(c.inputs, plain.arity.reduce((sum, many) => sum + many));
  return { ...Object.fromEntries(COLUMNS.map(k => [k, again(plain[k], 0)])), inputs: again(read, c.b) };
}

test('when derivatives were asked for, the record stays and what hangs on them is asked for anew', async () => {
  const answers = recorded('push');
  const kernel = new RecordedKernel(answers);
  const tape = await Tape.open(kernel, 't1');
  await tape.loadCostsAndKinds();
  tape.summariesOf(0);
  await later(5);
  kernel.asked.length = 0;
  answers['tape.asked'] = { ...answers['tape.asked'], asked: 2, target: 10 };
  assert.equal(await tape.refreshGradient(), true);
  assert.deepEqual([tape.target, tape.header.asked], [10, 2]);
  assert.ok(tape.kinds.cotangent.every(k => k === KIND.UNKNOWN));
  assert.deepEqual(tape.summariesOf(0), [], 'values are asked for when they are seen');
  await tape.loadCostsAndKinds();
  assert.deepEqual(new Set(kernel.asked.map(([ask]) => ask)), new Set(['tape.asked', 'tape.costs', 'tape.kinds']));
  answers['tape.asked'].n = 13;
  assert.equal(await tape.refreshGradient(), false, 'rows were added: it is to be opened anew');
});

test('rows that a sweep had not come to are asked for again once their kind is known', async () => {
  const answers = recorded('push');
  const values = answers['tape.values'];
  const kernel = new RecordedKernel({ ...answers, 'tape.values': { ...values, late: true, rows: values.rows.map((row: any) => [row[0], row[1], null]) } });
  const tape = await Tape.open(kernel, 't1');
  const asked = (): number => kernel.asked.filter(([ask]) => ask === 'tape.values').length;
  tape.summariesOf(0);
  await later(40);
  tape.summariesOf(0);
  await later(40);
  assert.equal(asked(), 1, 'while the kind is unknown there is nothing new to ask for');
  await tape.loadCostsAndKinds();
  kernel.answers['tape.values'] = values;
  tape.summariesOf(0);
  await later(40);
  assert.deepEqual(tape.summariesOf(0)[2]?.[6], [11, 3, -1]);
  assert.equal(asked(), 2);
});

test('sources without a gradient are counted', async () => {
  const { tape } = await open('attention');
  assert.deepEqual(tape.sourcesWithoutGradient().map(i => tape.label(i)), ['temperature']);
});

test('values are asked for when a row is seen, once, in blocks', async () => {
  const { tape, kernel } = await open('push');
  const asked = (): number => kernel.asked.filter(([ask]) => ask === 'tape.values').length;
  assert.equal(asked(), 0);
  assert.deepEqual(tape.summariesOf(3), []);
  tape.summariesOf(4);
  await later(5);
  assert.equal(asked(), 1);
  assert.deepEqual(tape.summariesOf(3)[0]?.[6], [6]);
  assert.deepEqual(tape.summariesOf(0)[2]?.[6], [11, 3, -1]);
});

test('kinds that the kernel works on are asked for again until they are known', async () => {
  const answers = recorded('push');
  let times = 0;
  const whole = answers['tape.kinds'];
  const kernel = new RecordedKernel({ ...answers, 'tape.kinds': () => (++times < 4 ? { ...whole, value: '?'.repeat(12 - times) + whole.value.slice(12 - times) } : whole) });
  const tape = await Tape.open(kernel, 't1');
  await tape.loadCostsAndKinds();
  assert.equal(times, 4);
  assert.ok(!tape.kinds.value.includes(KIND.UNKNOWN));
});

test('kinds that stay unknown are not asked for without end', async () => {
  const answers = recorded('push');
  let times = 0;
  const kernel = new RecordedKernel({ ...answers, 'tape.kinds': () => (times++, { ...answers['tape.kinds'], value: '?'.repeat(12) }) });
  await (await Tape.open(kernel, 't1')).loadCostsAndKinds();
  assert.ok(times > 1 && times < 20, `${times} times`);
});

test('a tape that was let go keeps what it has and asks no more', async () => {
  const { tape, kernel } = await open('push');
  kernel.answers['tape.values'] = null;
  kernel.request = () => Promise.reject(new RequestError('released', 'let go'));
  tape.summariesOf(0);
  await later(5);
  assert.equal(tape.released, true);
  assert.deepEqual(tape.summariesOf(0), []);
  assert.equal(tape.op(11), 'stack');
});

test('what a node sends comes from one request for many steps', async () => {
  const { tape, kernel } = await open('push');
  const event = await tape.contributionsOf(11);
  assert.deepEqual(event?.sends.map(one => one.to).sort((a, b) => a - b), [3, 6, 10]);
  await tape.contributionsOf(10);
  assert.equal(kernel.asked.filter(([ask]) => ask === 'tape.sweep').length, 1);
});

test('groups by line and by module hold each node once', async () => {
  const { tape } = await open('attention');
  for (const by of ['line', 'module'] as const) {
    const { groups, groupOf: of } = tape.groups(by, () => 'code')!;
    assert.equal(groups.reduce((sum, group) => sum + group.ids.length, 0), tape.n);
    groups.forEach(group => group.ids.forEach(i => assert.equal(of[i], group.g)));
    assert.equal(groups.reduce((sum, group) => sum + group.flops, 0), tape.totals!.flops);
  }
  assert.ok(tape.groups('module', () => 'code')!.groups.some(group => group.label === 'softmax'));
});

test('lines are counted dearest first, and a None costs nothing backward', async () => {
  const { tape } = await open('attention');
  const cost = tape.lineCosts().map(line => line.fwd + line.back);
  assert.deepEqual(cost, [...cost].sort((a, b) => b - a));
  const temperature = tape.sourcesWithoutGradient()[0];
  assert.equal(tape.backwardCost(temperature), 0);
});

test('the gravest kind of a group shows', () => {
  const worst = (...codes: number[]): number => mostSevereKind(Uint8Array.from(codes), codes.map((_, i) => i));
  assert.equal(worst(KIND.NONE, KIND.FINITE, KIND.NAN), KIND.NAN);
  assert.equal(worst(KIND.NONE, KIND.ZERO), KIND.ZERO);
  assert.equal(worst(KIND.NONE), KIND.NONE);
});

test('runs of ids are written out, pieces begin with the last', () => {
  assert.deepEqual(expandRuns([[2, 5], [9, 10]]), [2, 3, 4, 9]);
  assert.deepEqual(chunkStarts(4500, 2000), [4000, 2000, 0]);
  assert.deepEqual(chunkStarts(0, 2000), []);
});

test('columns appear as room grows; the direction that runs always has one', () => {
  assert.deepEqual(visibleColumns(360, 1, true), ['value', 'tangent']);
  assert.deepEqual(visibleColumns(360, -1, true), ['value', 'cotangent']);
  assert.deepEqual(visibleColumns(360, 1, false), ['value', 'cotangent']);
  assert.deepEqual(visibleColumns(600, 1, true), ['shape', 'value', 'tangent', 'cotangent']);
  assert.deepEqual(visibleColumns(900, -1, true), ['shape', 'value', 'tangent', 'cotangent', 'line', 'flops', 'bytes']);
  assert.deepEqual(visibleColumns(900, -1, true, 'few'), ['value', 'cotangent']);
});

test('a search finds ops, names, modules, shapes and numbers', async () => {
  const { tape } = await open('attention');
  const all = (query: string): number[] => Array.from({ length: tape.n }, (_, i) => i).filter(i => matchesSearch(tape, i, query));
  assert.ok(all('matmul').every(i => tape.op(i) === 'matmul') && all('matmul').length > 5);
  assert.ok(all('W_q').some(i => tape.nodeName(i) === 'W_q'));
  assert.deepEqual(all('#17'), [17]);
  assert.ok(all('4×6').length > 3);
  assert.deepEqual(all('4x6'), all('4×6'));
  assert.ok(all('softmax').every(i => tape.module(i).includes('softmax')));
});

test('the table lists nodes, groups, and what is looked for', async () => {
  const s = await state('attention');
  assert.equal(tableRows(s).rows.length, s.tape!.n);
  s.grouping = 'module';
  const { rows, rowOf: where } = tableRows(s);
  const group = rows.find(f => f < 0)!;
  const ids = s.groups()!.groups[-1 - group].ids;
  ids.forEach(i => assert.equal(where[i], rows.indexOf(group)));
  s.expanded.add(-1 - group);
  assert.equal(tableRows(s).rows.length, rows.length + ids.length);
  s.filter = 'none';
  s.grouping = 'none';
  assert.ok(tableRows(s).rows.some(f => s.tape!.label(f) === 'temperature'));
});

test('the graph has a box for each node that is no constant, and a group is one box', async () => {
  const s = await state('attention');
  const whole = boxGraph(s, 240);
  assert.equal(whole.boxes.length, Array.from({ length: s.tape!.n }, (_, i) => i).filter(i => !s.tape!.flag(i, 'k')).length);
  whole.edges.forEach(([a, b]) => assert.ok(a < b));
  s.grouping = 'line';
  assert.ok(boxGraph(s, 240).boxes.length < whole.boxes.length);
});

test('a graph with too many boxes shows those around the head', async () => {
  const s = await state('attention');
  const whole = boxGraph(s, 240);
  const near = nearestBoxes(whole, whole.boxOf[s.tape!.target], 10);
  assert.equal(near.boxes.length, 10);
  assert.equal(near.total, whole.boxes.length);
  assert.ok(near.boxOf[s.tape!.target] >= 0);
  near.edges.forEach(([a, b]) => assert.ok(a >= 0 && b < 10 && a < b));
  s.playhead = 0;
  assert.ok(boxGraph(s, 10).boxOf[0] >= 0);
});

test('in the narrowest panel the numbers get by with less, so that no column is cut', () => {
  const least = (room: number): number => visibleColumns(room, -1, true).reduce((sum, c) => sum + Number(/\d+/.exec(columnWidth(c, room))![0]), 37 + 76);
  assert.ok(least(300) <= 300 - 20, `${least(300)} px`);
  assert.equal(columnWidth('value', 420), 'minmax(94px, 1fr)');
});

test('kinds that are asked for anew leave no row unknown: an earlier run ends', async () => {
  const kernel = new RecordedKernel(recorded('push'));
  const answers: (() => void)[] = [];
  const tape = await Tape.open(kernel, 't1');
  kernel.answers['tape.kinds'] = () => new Promise(done => answers.push(() => done(structuredClone(recorded('push')['tape.kinds']))));
  const first = tape.loadCostsAndKinds();
  await later();
  const second = tape.loadCostsAndKinds();
  await later();
  assert.equal(answers.length, 2);
  answers[0]();
  await first;
  tape.kinds.value.fill(KIND.UNKNOWN);
  assert.equal(tape.kind('value', 0), KIND.UNKNOWN); // the later run is still on its way: not "not kept"
  answers[1]();
  await second;
  assert.equal(tape.kind('value', 0), KIND.FINITE);
});
