import { API_PATH } from '../choices.ts';

/**
 * Starts the worker that serves the API to this page.
 *
 * @param folder path of the playground, with a slash at the end
 * @returns the URL of the API
 * @throws Error if the browser has no service workers here
 */
export async function connect(folder: string): Promise<string> {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) {
    throw new Error(
      'The playground needs service workers. Browsers have them on https and localhost, but not in all private windows.',
    );
  }
  // A worker only serves documents that were loaded from its folder, and the site changes pages without loading them.
  if (!isLoadedFrom(folder)) {
    location.reload();
    return new Promise(() => {});
  }
  await serviceWorker.register(`${folder}worker.js`);
  if (serviceWorker.controller === null) {
    const isControlled = new Promise((resolve) => {
      serviceWorker.addEventListener('controllerchange', resolve, { once: true });
    });
    // A page that was reloaded past all caches has to be claimed again.
    const { active } = await serviceWorker.ready;
    active?.postMessage('claim');
    await isControlled;
  }
  return location.origin + folder + API_PATH;
}

function isLoadedFrom(folder: string): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  return entry !== undefined && new URL(entry.name).pathname.startsWith(folder);
}
