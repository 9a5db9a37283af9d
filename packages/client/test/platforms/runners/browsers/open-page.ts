import type { Deployment } from '../../platform-case.ts';

/** What a browser is started with. */
export interface BrowserOptions {
  /** An empty folder of its own. */
  readonly profile: string;
  /** The one certificate that it is to trust: the path of its file, and `toPin` of it. */
  readonly trusted: { readonly file: string; readonly pin: string };
  /** What the page calls. */
  readonly deployment: Deployment;
  /** Called when the browser has ended, for whatever reason. */
  readonly onGone: (error: Error) => void;
}

/** Opens a page in a browser that is started for it; gives what ends that browser. */
export type OpenPage = (url: string, options: BrowserOptions) => Promise<() => Promise<void>>;
