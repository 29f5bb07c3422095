import { t } from './text';

/** Rules of the commonest ops in words: what the op computes, and what it sends back to its inputs. */

type Rule = [formula: string, sends: () => string];

const say = (text: string) => (): string => t(text);

const RULES: Record<string, Rule> = {
  add: ['a + b', say('sends g to both')],
  subtract: ['a − b', say('sends g and −g')],
  multiply: ['a · b', say('sends g·b and g·a')],
  divide: ['a / b', say('sends g/b and −g·a/b²')],
  negative: ['−a', say('sends −g')],
  power: ['aᵇ', say('sends g·b·aᵇ⁻¹ and g·aᵇ·log a')],
  matmul: ['A B', say('sends G Bᵀ and Aᵀ G')],
  permute_dims: ['Aᵀ', say('sends Gᵀ')],
  matvec: ['A b', say('sends g bᵀ and Aᵀ g')],
  vecdot: ['a · b', say('sends g·b and g·a')],
  exp: ['exp a', say('sends g·exp a')],
  log: ['log a', say('sends g/a')],
  sqrt: ['√a', say('sends g/(2√a)')],
  square: ['a²', say('sends 2·a·g')],
  relu: ['max(a, 0)', say('sends g where a > 0, else 0')],
  tanh: ['tanh a', say('sends g·(1 − tanh² a)')],
  sigmoid: ['1/(1 + exp −a)', say('sends g·s·(1 − s), where s is its value')],
  sin: ['sin a', say('sends g·cos a')],
  cos: ['cos a', say('sends −g·sin a')],
  sum: ['Σ a', say('spreads g over the entries')],
  mean: ['Σ a / n', say('spreads g/n over the entries')],
  max: ['max a', say('sends g to the largest, shared in a tie')],
  min: ['min a', say('sends g to the smallest, shared in a tie')],
  maximum: ['max(a, b)', say('sends g to the larger, half to each in a tie')],
  minimum: ['min(a, b)', say('sends g to the smaller, half to each in a tie')],
  select: ['a | b', say('sends g to the side that was chosen, 0 to the other')],
  gather_rows: ['a[i]', say('adds g into the rows that were taken')],
  getitem: ['a[i]', say('puts g at i, 0 elsewhere')],
  stack: ['[a, b, …]', say('deals the entries of g out')],
  concat: ['[a, b, …]', say('deals the entries of g out')],
  reshape: ['a', say('sends g in the old shape')],
  broadcast_to: ['a', say('sums g over what was repeated')],
  floor: ['⌊a⌋', say('sends nothing: a step has no slope')],
  to_float: ['a', say('sends g in the old dtype')],
  to_whole: ['a', say('sends nothing: a step has no slope')],
  rint: ['a', say('sends nothing: a step has no slope')],
  variable: ['', say('collects g')],
  watch: ['', say('collects g')],
  outside: ['', say('collects g')],
  constant: ['', say('collects nothing: not watched')],
  tensor: ['', say('collects nothing: not watched')]
};

/** The rule of an op; one that has no words here shows its name. */
export const ruleOf = (op: string): { formula: string; sends: string } => {
  const [formula, sends] = RULES[op] ?? [op, () => ''];
  return { formula, sends: sends() };
};
