import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const LAB = new URL('../../../autodiff_kit/lab/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, LAB), 'utf8');
const sources = readdirSync(new URL('src/', LAB), { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts')).map(file => read(`src/${file}`)).join('\n');
const german: Record<string, any> = JSON.parse(read('locale/de_DE/LC_MESSAGES/autodiff_kit.json'));
const schema = JSON.parse(read('schema/plugin.json'));

const unquoted = (text: string): string => text.replaceAll("\\'", "'");
const said = [...sources.matchAll(/\b(?:t|translated)\(\s*'((?:[^'\\]|\\.)*)'/g)].map(hit => unquoted(hit[1]));
const counted = [...sources.matchAll(/\btn\(\s*'((?:[^'\\]|\\.)*)'\s*,\s*'((?:[^'\\]|\\.)*)'/g)].map(hit => [unquoted(hit[1]), unquoted(hit[2])]);
const holes = (text: string): string => (text.match(/%\d/g) ?? []).sort().join();

test('every text is in German, and no German text is left over', () => {
  assert.ok(said.length > 200);
  const english = new Set([...said, ...counted.map(([one]) => one)]);
  const known = Object.keys(german).filter(key => key && !key.includes('\u0004'));
  assert.deepEqual([...english].filter(text => !(text in german)), []);
  assert.deepEqual(known.filter(text => !english.has(text)), []);
});

test('a translation has the holes of its text', () => {
  said.forEach(text => assert.equal(holes(german[text][0]), holes(text), text));
  counted.forEach(([one, many]) => {
    assert.equal(german[one].length, 2, one);
    assert.equal(holes(german[one][1]), holes(many), many);
  });
});

test('settings are in German too', () => {
  for (const setting of Object.values<any>(schema.properties)) {
    for (const text of [setting.title, setting.description]) {
      assert.ok(`settings\u0004${text}` in german, text);
    }
  }
});

test('settings in the schema are those of the code, with the same defaults', async () => {
  const { DEFAULTS } = await import('../../../autodiff_kit/lab/src/services/defaultSettings.ts');
  const stated = Object.fromEntries(Object.entries<any>(schema.properties).map(([name, one]) => [name, one.default]));
  assert.deepEqual(stated, { ...DEFAULTS });
});
