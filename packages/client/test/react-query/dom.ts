/** Sets up a document for React. Import it first, because other modules check whether there is one. */
import { Window } from 'happy-dom';

// Only the document. `fetch` and everything else stay the platform's.
const window = new Window({ url: 'http://localhost/' });
const { document, HTMLElement, HTMLIFrameElement, Element, Node } = window;
Object.assign(globalThis, { window, document, HTMLElement, HTMLIFrameElement, Element, Node });
