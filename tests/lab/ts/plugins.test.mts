import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import plugins from '../../../autodiff_kit/lab/src/index.ts';

interface Described {
  id: string;
  description: string;
  autoStart: boolean;
  provides?: { name: string };
  requires?: { name: string }[];
  optional?: { name: string }[];
}

const all = plugins as unknown as Described[];
const PANELS = ['autodiff-kit:syllabus', 'autodiff-kit:inspector', 'autodiff-kit:exercises', 'autodiff-kit:welcome', 'autodiff-kit:lesson-room', 'autodiff-kit:lesson-notebooks'];
const short = (tokens: { name: string }[] = []): string[] => tokens.map(token => token.name.split(':').pop()!);

test('each panel is a plugin that states what it needs', () => {
  const stated = Object.fromEntries(all.map(plugin => [plugin.id, [short(plugin.requires), short(plugin.optional), plugin.provides ? short([plugin.provides])[0] : null]]));
  assert.deepEqual(stated, {
    'autodiff-kit:plugin': [[], ['ISettingRegistry'], 'IPanelSettings'],
    'autodiff-kit:notebook-sessions': [['INotebookTracker', 'ITranslator'], [], 'INotebookSessions'],
    'autodiff-kit:cell-runs': [['INotebookTracker', 'ITranslator'], ['ISessionContextDialogs'], 'INotebookRuns'],
    'autodiff-kit:notebook-actions': [['INotebookRuns', 'INotebookTracker', 'IDocumentManager', 'ITranslator'], ['INotebookSessions', 'ISessionContextDialogs'], 'INotebookActions'],
    'autodiff-kit:syllabus': [['INotebookActions', 'ITranslator'], ['IPanelSettings', 'ILabShell', 'ILayoutRestorer', 'ICommandPalette', 'ILauncher', 'IStateDB', 'INotebookTracker'], null],
    'autodiff-kit:inspector': [
      ['INotebookActions', 'INotebookSessions', 'ITranslator'],
      ['IPanelSettings', 'IEditorExtensionRegistry', 'ILayoutRestorer', 'ICommandPalette', 'ILauncher', 'IStatusBar', 'IThemeManager'], null
    ],
    'autodiff-kit:exercises': [['INotebookActions', 'INotebookTracker', 'ITranslator'], ['ILayoutRestorer', 'ICommandPalette'], null],
    'autodiff-kit:python-start': [['INotebookTracker', 'ITranslator'], [], null],
    'autodiff-kit:site-start': [['INotebookTracker', 'IDocumentManager'], [], null],
    'autodiff-kit:site-language': [['ISettingRegistry'], [], null],
    'autodiff-kit:site-links': [['INotebookTracker', 'ITranslator'], [], null],
    'autodiff-kit:site-saving': [['INotebookTracker'], ['INotebookSessions'], null],
    'autodiff-kit:saved-outputs': [['INotebookRuns', 'INotebookTracker', 'ITranslator'], ['ISessionContextDialogs'], null],
    'autodiff-kit:welcome': [['INotebookActions', 'INotebookTracker', 'ITranslator'], ['IStateDB', 'ICommandPalette'], null],
    'autodiff-kit:lesson-room': [['INotebookTracker'], ['ILabShell'], null],
    'autodiff-kit:lesson-notebooks': [['INotebookTracker', 'ITranslator'], [], null]
  });
  all.forEach(plugin => {
    assert.ok(plugin.autoStart, plugin.id);
    assert.ok(plugin.description.endsWith('.'), plugin.id);
  });
});

test('with one panel disabled, every other plugin still has all that it requires', () => {
  for (const disabled of [...PANELS, 'autodiff-kit:plugin']) {
    const left = all.filter(plugin => plugin.id !== disabled);
    const provided = new Set(left.flatMap(plugin => (plugin.provides ? [plugin.provides.name] : [])));
    for (const plugin of left) {
      const own = (plugin.requires ?? []).map(token => token.name).filter(name => name.startsWith('autodiff-kit:'));
      assert.deepEqual(own.filter(name => !provided.has(name)), [], `${plugin.id} without ${disabled}`);
    }
  }
});

test('the schema belongs to a plugin', () => {
  const schema = JSON.parse(readFileSync(new URL('../../../autodiff_kit/lab/schema/plugin.json', import.meta.url), 'utf8'));
  assert.ok(schema['jupyter.lab.menus']);
  assert.ok(all.some(plugin => plugin.id === 'autodiff-kit:plugin'));
});
