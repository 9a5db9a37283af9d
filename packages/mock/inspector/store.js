/** @import { State } from './types.d.ts' */

/** @type {State} */
export const state = {
  tab: 'requests',
  session: new URLSearchParams(location.search).get('session') ?? '',
  requests: new Map(),
  selected: undefined,
  text: '',
  only: 'all',
  isLive: false,
  isHelpOpen: false,
  notice: undefined,
  info: undefined,
  contract: undefined,
  files: [],
  clock: undefined,
  faults: [],
  services: {},
  serviceFaults: [],
  draft: { operationId: '', params: {}, credentials: '', body: '' },
  grant: undefined,
  reply: undefined,
};

/** @type {() => void} */
let draw = () => {};
let isDue = false;

/** @param {() => void} listener renders the page, once per frame */
export function onChange(listener) {
  draw = listener;
}

/** @param {Partial<State>} changes */
export function change(changes) {
  Object.assign(state, changes);
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/**
 * Shows a notice about a success or a failure.
 *
 * @param {string} text
 * @param {boolean} [isFailure]
 */
export function tell(text, isFailure = false) {
  clearTimeout(fading);
  change({ notice: { text, isFailure } });
  fading = setTimeout(() => change({ notice: undefined }), isFailure ? 10_000 : 2_500);
}
