/**
 * Where a field on a grid crosses a level: pieces of line [[x, y], [x, y]] in places of the grid, column and row.
 * `rows` are the values, row by row from below.
 */
export function crossings(rows, level) {
  const pieces = [];
  const between = (a, b) => (level - a) / (b - a);
  for (let j = 0; j + 1 < rows.length; j++)
    for (let i = 0; i + 1 < rows[j].length; i++) {
      const [a, b, c, d] = [rows[j][i], rows[j][i + 1], rows[j + 1][i + 1], rows[j + 1][i]];
      const ends = [];
      if (a < level !== b < level) ends.push([i + between(a, b), j]);
      if (b < level !== c < level) ends.push([i + 1, j + between(b, c)]);
      if (d < level !== c < level) ends.push([i + between(d, c), j + 1]);
      if (a < level !== d < level) ends.push([i, j + between(a, d)]);
      for (let k = 0; k + 1 < ends.length; k += 2) pieces.push([ends[k], ends[k + 1]]);
    }
  return pieces;
}

/** The piece that is nearest to a place of the grid, where a level's number can stand; none if the level is not there. */
export const nearestTo = (pieces, [x, y]) =>
  pieces.reduce(
    (best, piece) => {
      const far = Math.hypot(piece[0][0] - x, piece[0][1] - y);
      return far < best.far ? { far, piece } : best;
    },
    { far: Infinity, piece: null },
  ).piece;
