import type { Deployment } from '../../platform-case.ts';

/** Options for starting a browser. */
export interface BrowserOptions {
  /** An empty folder for the profile. */
  readonly profile: string;
  /** The only certificate to trust: its path and its `toPin`. */
  readonly trusted: { readonly file: string; readonly pin: string };
  /** The deployment that the page calls. */
  readonly deployment: Deployment;
  /** Called when the browser has exited, for whatever reason. */
  readonly onGone: (error: Error) => void;
}

/** Starts a browser to open a page, and returns a function that stops it. */
export type OpenPage = (url: string, options: BrowserOptions) => Promise<() => Promise<void>>;
