import type { Deployment } from '../../platform-case.ts';

/** What a browser is started with. */
export interface BrowserOptions {
  /** An empty folder for it. */
  readonly profile: string;
  /** The one certificate to trust: its path and its `toPin`. */
  readonly trusted: { readonly file: string; readonly pin: string };
  /** What the page calls. */
  readonly deployment: Deployment;
  /** Called when the browser has ended, for whatever reason. */
  readonly onGone: (error: Error) => void;
}

/** Starts a browser to open a page; returns a function that ends the browser. */
export type OpenPage = (url: string, options: BrowserOptions) => Promise<() => Promise<void>>;
