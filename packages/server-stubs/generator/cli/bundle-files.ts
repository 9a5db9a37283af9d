/**
 * A document with what it refers to in other local files, in one piece. What cannot be read stays a
 * reference; URLs are never loaded.
 */
export async function bundleFiles(file: string): Promise<{ document: unknown; files: string[] }> {
  // Loaded on demand: most documents are one file.
  const { BaseResolver, bundle, createConfig } = await import('@redocly/openapi-core');
  class LocalResolver extends BaseResolver {
    override async loadExternalRef(ref: string) {
      if (/^https?:/i.test(ref)) throw new Error(`${ref} is not a local file.`);
      return super.loadExternalRef(ref);
    }
  }
  const config = await createConfig({});
  const externalRefResolver = new LocalResolver(config.resolve);
  const bundled = await bundle({ ref: file, config, externalRefResolver });
  return { document: bundled.bundle.parsed, files: [file, ...bundled.fileDependencies] };
}
