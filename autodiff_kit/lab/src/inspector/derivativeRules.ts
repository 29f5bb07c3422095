import { t } from '../common/translation';

/** Derivative rules of the common ops in words: what the op computes, and what it sends to its inputs. */

type RuleText = [formula: string, sends: () => string];

const translated = (text: string) => (): string => t(text);

const RULES: Record<string, RuleText> = {
  add: ['a + b', translated('sends g to both')],
  subtract: ['a − b', translated('sends g and −g')],
  multiply: ['a · b', translated('sends g·b and g·a')],
  divide: ['a / b', translated('sends g/b and −g·a/b²')],
  negative: ['−a', translated('sends −g')],
  power: ['aᵇ', translated('sends g·b·aᵇ⁻¹ and g·aᵇ·log a')],
  matmul: ['A B', translated('sends G Bᵀ and Aᵀ G')],
  permute_dims: ['Aᵀ', translated('sends Gᵀ')],
  matvec: ['A b', translated('sends g bᵀ and Aᵀ g')],
  vecdot: ['a · b', translated('sends g·b and g·a')],
  exp: ['exp a', translated('sends g·exp a')],
  log: ['log a', translated('sends g/a')],
  sqrt: ['√a', translated('sends g/(2√a)')],
  square: ['a²', translated('sends 2·a·g')],
  relu: ['max(a, 0)', translated('sends g where a > 0, else 0')],
  tanh: ['tanh a', translated('sends g·(1 − tanh² a)')],
  sigmoid: ['1/(1 + exp −a)', translated('sends g·s·(1 − s), where s is its value')],
  sin: ['sin a', translated('sends g·cos a')],
  cos: ['cos a', translated('sends −g·sin a')],
  sum: ['Σ a', translated('spreads g over the entries')],
  mean: ['Σ a / n', translated('spreads g/n over the entries')],
  max: ['max a', translated('sends g to the largest, shared in a tie')],
  min: ['min a', translated('sends g to the smallest, shared in a tie')],
  maximum: ['max(a, b)', translated('sends g to the larger, half to each in a tie')],
  minimum: ['min(a, b)', translated('sends g to the smaller, half to each in a tie')],
  select: ['a | b', translated('sends g to the side that was chosen, 0 to the other')],
  gather_rows: ['a[i]', translated('adds g into the rows that were taken')],
  getitem: ['a[i]', translated('puts g at i, 0 elsewhere')],
  stack: ['[a, b, …]', translated('deals the entries of g out')],
  concat: ['[a, b, …]', translated('deals the entries of g out')],
  reshape: ['a', translated('sends g in the old shape')],
  broadcast_to: ['a', translated('sums g over what was repeated')],
  floor: ['⌊a⌋', translated('sends nothing: a step has no slope')],
  to_float: ['a', translated('sends g in the old dtype')],
  to_int: ['a', translated('sends nothing: a step has no slope')],
  rint: ['a', translated('sends nothing: a step has no slope')],
  variable: ['', translated('collects g')],
  watch: ['', translated('collects g')],
  outside: ['', translated('collects g')],
  constant: ['', translated('collects nothing: not watched')],
  tensor: ['', translated('collects nothing: not watched')]
};

/** The rule of an op; an op without a text shows its name. */
export const derivativeRule = (op: string): { formula: string; sends: string } => {
  const [formula, sends] = RULES[op] ?? [op, () => ''];
  return { formula, sends: sends() };
};
