import { h, icon } from '../common/dom';
import { t } from '../common/translation';

/** What each sign of the inspector means: a folded list under the views, opened by a click or by Enter. */
export function legend(): HTMLElement {
  const value = (cls: string, text: string): HTMLElement => h('span', { class: `akl-v akl-v-${cls}` }, text);
  const mark = (...kids: (HTMLElement | string)[]): HTMLElement => h('span', { class: 'akl-legend-mark' }, kids);
  const signs: [HTMLElement, string][] = [
    [value('none', 'None'), t('no path leads from here to the target')],
    [value('zero', '0'), t('every entry is exactly 0')],
    [value('nan', 'NaN'), t('an entry is not a number')],
    [value('value', '−1 … 2'), t('smallest to largest entry of an array')],
    [value('value', '3 ×4'), t('the same number in all 4 entries')],
    [value('wait', '·'), t('the sweep has not come here yet')],
    [value('wait', '–'), t('a constant: it has no cotangent')],
    [value('frozen', t('frozen')), t('a variable that is not trainable')],
    [value('load', ''), t('on its way from the kernel')],
    [value('lost', t('not kept')), t('released by the kernel; run the cell again')],
    [mark(h('b', { class: 'akl-legend-source' })), t('source: a variable or a watched tensor')],
    [mark('◎'), t('target of the gradient')],
    [mark(icon('cut')), t('the path ends here: no gradient passes')],
    [mark(icon('hook')), t('a hook changes the cotangent here')],
    [value('fwd', '↓'), t('tangent, carried forward')],
    [value('rev', '↑'), t('cotangent, carried back')],
    [value('send', '↑ 2'), t('a part of a cotangent that is being sent')],
    [mark('○'), t('follows the kernel; ■ is pinned')]
  ];
  return h('details', { class: 'akl-legend' }, h('summary', null, t('What the signs mean')), h('dl', null, signs.map(([sign, text]) => [h('dt', null, sign), h('dd', null, text)])));
}
