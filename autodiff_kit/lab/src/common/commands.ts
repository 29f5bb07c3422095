import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { LabIcon } from '@jupyterlab/ui-components';

/** Registration of commands: one table of commands a panel, added to the application and to the palette. */

export const COMMAND_PREFIX = 'autodiff-kit:';
/** Category of the commands in the palette and the launcher. */
export const CATEGORY = 'Autodiff';

export type CommandArgs = Record<string, unknown>;

export interface Command {
  label: () => string;
  /** What a launcher's card says when pointed at. */
  caption?: () => string;
  execute: (args: CommandArgs) => unknown;
  icon?: LabIcon;
  isEnabled?: () => boolean;
  /** Whether the palette lists it: only where it runs without arguments. */
  inPalette?: boolean;
  /** JSON schema of its arguments, for those who look the command up. */
  args?: Record<string, unknown>;
}

/** The JSON schema of an object with these properties. */
export const objectSchema = (properties: Record<string, unknown>): Record<string, unknown> => ({ type: 'object', properties });

/** Add commands under the kit's prefix, and to the palette unless they say otherwise. */
export function addCommands(app: JupyterFrontEnd, palette: ICommandPalette | null, commands: Record<string, Command>): void {
  for (const [name, command] of Object.entries(commands)) {
    app.commands.addCommand(COMMAND_PREFIX + name, {
      label: command.label,
      caption: command.caption ?? '',
      icon: command.icon,
      isEnabled: command.isEnabled ?? (() => true),
      execute: args => command.execute(args as CommandArgs),
      describedBy: { args: command.args ?? objectSchema({}) } as never
    });
    if (command.inPalette !== false) {
      palette?.addItem({ command: COMMAND_PREFIX + name, category: CATEGORY });
    }
  }
}

/** Run another panel's command, where that panel is not disabled. */
export const executeIfAvailable = (app: JupyterFrontEnd, name: string): void => {
  if (app.commands.hasCommand(COMMAND_PREFIX + name)) {
    void app.commands.execute(COMMAND_PREFIX + name);
  }
};
