import { Signal } from '@lumino/signaling';
import { DEFAULTS, type Settings } from './defaultSettings';

/** The settings that the panels share; the defaults until the user's own are loaded, or where they cannot be. */
export class PanelSettings {
  readonly changed = new Signal<this, Settings>(this);
  values: Settings = { ...DEFAULTS };

  /** Take what the user has set; a setting that is missing keeps its default. */
  update(values: Partial<Settings>): void {
    this.values = { ...DEFAULTS, ...values };
    this.changed.emit(this.values);
  }
}
