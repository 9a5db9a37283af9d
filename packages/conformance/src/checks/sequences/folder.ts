import type { CheckContext } from '../../context/check-context.ts';
import type { Entry, StorageOperation, StorageReply } from '../../context/storage-client.ts';
import type { Grant } from '../../context/upload-client.ts';
import type { Evidence } from '../../http/exchange.ts';
import { Unreached } from '../../result.ts';
import { entriesOf, hasFailed, toCopyItems } from '../stored-files.ts';
import {
  type Content,
  Contradiction,
  type CopyItem,
  changedBy,
  type Fact,
  type Link,
  NAMES,
  type Name,
  NOTHING,
  OTHER,
} from './model.ts';

/** How long a link without `maxAge` must work, in milliseconds: its lifetime is not specified. */
const USUAL_LIFETIME = 5000;

/** A call of a sequence, or the two calls of an upload or a read. */
export type Action =
  | { kind: 'upload'; name: Name; content: Content; lines: number }
  | { kind: 'grant'; name: Name }
  /** Sends the form for a grant that an earlier step requested; `grant` is its place. */
  | { kind: 'form'; grant: number; name: Name; content: Content; lines: number }
  | { kind: 'read'; names: readonly Name[] }
  | { kind: 'link'; names: readonly Name[]; maxAge: number | undefined }
  | { kind: 'follow'; index: number; link: Link }
  | { kind: 'delete'; names: readonly Name[] }
  | { kind: 'copy'; items: readonly CopyItem[] };

export class Folder {
  readonly #t: CheckContext;
  readonly #folder: string;
  readonly #grants: Grant[] = [];
  readonly #contents: Buffer[] = [];
  readonly #ids = new Map<Name, string>();

  constructor(t: CheckContext) {
    this.#t = t;
    this.#folder = t.uniqueName();
  }

  async perform(action: Action): Promise<Fact[]> {
    const { upload } = this.#t;
    switch (action.kind) {
      case 'grant':
        this.#grants.push(await upload.grant(this.#path(action.name)));
        return [];
      case 'upload': {
        const grant = await upload.grant(this.#path(action.name));
        const stored = await this.#send(grant, action);
        if (stored.length > 0) return stored;
        throw new Unreached('the upload target rejected a valid form');
      }
      case 'form': {
        const grant = this.#grants[action.grant];
        return grant === undefined ? [] : this.#send(grant, action);
      }
      case 'read':
        return this.#read(action.names);
      case 'link': {
        const { names, maxAge } = action;
        const isRequired = maxAge === undefined;
        const found = await this.#links(names, maxAge);
        return found.map((one) => ({ kind: 'linked', ...one, isRequired }));
      }
      case 'follow': {
        const exchange = await upload.download(action.link.url);
        const ended = Date.now();
        const content = this.#identify(exchange.received);
        return [{ kind: 'followed', link: action.link, content, ended, evidence: exchange }];
      }
      case 'delete': {
        const ids = await this.#idsOf(action.names);
        const list = ids.map(({ id }) => id);
        const { reply, entries } = await this.#list('batchDelete', list);
        return ids.map(({ name, id }) => {
          const isSuccess = entryOf(entries, id, name, reply).code === 'SUCCESS';
          return { kind: 'deleted', name, isSuccess, evidence: reply };
        });
      }
      case 'copy': {
        const orders = action.items.map(({ from, to, ...more }) => ({
          ...{ from: this.#path(from), to: this.#path(to), ...more },
        }));
        const list = toCopyItems(this.#t, orders);
        const { reply, entries } = await this.#list('batchCopyFile', list);
        const failures = entries.filter(hasFailed).length;
        return [{ kind: 'copied', items: action.items, failures, evidence: reply }];
      }
    }
  }

  /** Forgets file IDs that may no longer be those of the files; a deleted file must not be found by the ID that it had. */
  forget(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === 'copied') for (const name of changedBy(fact)) this.#ids.delete(name);
    }
  }

  /** Ends a sequence that has deleted its files: the run need not remove them. */
  untrack(): void {
    for (const name of NAMES) this.#t.upload.untrack(this.#path(name));
  }

  #path(name: Name): string {
    return this.#t.storage.path(`${this.#folder}/${name}`);
  }

  async #send(
    grant: Grant,
    { name, content, lines }: { name: Name; content: Content; lines: number },
  ): Promise<Fact[]> {
    const bytes = Buffer.from(`content ${content} of ${this.#folder}\n`.repeat(lines));
    this.#contents[content] = bytes;
    const reply = await this.#t.upload.post(grant, this.#t.upload.fields(grant, bytes));
    if (!reply.isAccepted) return [];
    this.#ids.set(name, grant.fileId);
    return [{ kind: 'stored', name, content, evidence: reply }];
  }

  async #read(names: readonly Name[]): Promise<Fact[]> {
    const links = await this.#links(names);
    return Promise.all(
      links.map(async (link): Promise<Fact> => {
        if (link.url === undefined) return { kind: 'read', ...link, content: NOTHING };
        const exchange = await this.#t.upload.download(link.url);
        const content = this.#identify(exchange.received);
        if (content === NOTHING && Date.now() > link.worksUntil) {
          throw new Unreached('the responses are slower than links live');
        }
        return { kind: 'read', ...link, content, evidence: exchange };
      }),
    );
  }

  async #links(
    names: readonly Name[],
    maxAge?: number,
  ): Promise<{ name: Name; url: string | undefined; worksUntil: number; evidence: Evidence }[]> {
    const { storage } = this.#t;
    const ids = await this.#idsOf(names);
    // The deployment counts from some time between the request and its response.
    const worksUntil = Date.now() + (maxAge === undefined ? USUAL_LIFETIME : maxAge * 1000);
    const more = maxAge === undefined ? {} : { maxAge: storage.maxAge(maxAge) };
    const list = ids.map(({ id }) => ({ fileID: id, ...more }));
    const { reply, entries } = await this.#list('batchGetTempUrls', list);
    return ids.map(({ name, id }) => {
      const { code, tempFileURL } = entryOf(entries, id, name, reply);
      if (code !== 'SUCCESS') return { name, url: undefined, worksUntil, evidence: reply };
      const url = String(tempFileURL);
      if (URL.canParse(url)) return { name, url, worksUntil, evidence: reply };
      throw new Unreached('the link is not a URL');
    });
  }

  /** "`fileList` has one entry for each item in the request." */
  async #list(
    operation: StorageOperation,
    fileList: readonly unknown[],
  ): Promise<{ reply: StorageReply; entries: Entry[] }> {
    const reply = await this.#t.storage.call(operation, { fileList });
    const { entries } = reply;
    if (entries === undefined) {
      throw new Unreached(`${operation} responded with ${reply.received.status} without a list`);
    }
    if (entries.length === fileList.length) return { reply, entries };
    const message = `${fileList.length} items of ${operation} must have as many entries, not ${entries.length}`;
    throw new Contradiction(message, reply);
  }

  #idsOf(names: readonly Name[]): Promise<{ name: Name; id: string }[]> {
    return Promise.all(
      names.map(async (name) => {
        const id = this.#ids.get(name) ?? (await this.#t.upload.fileIdOf(this.#path(name)));
        this.#ids.set(name, id);
        return { name, id };
      }),
    );
  }

  #identify({ status, body }: { status: number; body: Buffer }): Content {
    if (status < 200 || status > 299) return NOTHING;
    const content = this.#contents.findIndex((bytes) => bytes?.equals(body));
    return content > 0 ? content : OTHER;
  }
}

/** "Each entry has a `fileID` string, which is the ID that was requested." */
function entryOf(entries: readonly Entry[], id: string, name: Name, evidence: Evidence): Entry {
  const [entry] = entriesOf(entries, id);
  if (entry) return entry;
  throw new Contradiction(`one entry must have the fileID of ${name}, but none has`, evidence);
}
