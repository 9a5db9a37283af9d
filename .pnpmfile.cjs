module.exports = {
  hooks: {
    // Builds have put Prism (packages/mock/scripts/bundle.ts) and the tools of the generator
    // (packages/server-stubs/scripts/bundle.ts) into `dist`. They stay dependencies of the checkout, where the source
    // imports them, and of the licence check.
    beforePacking(manifest) {
      if (manifest.name === '@berth/mock') delete manifest.dependencies['@stoplight/prism-http'];
      if (manifest.name === '@berth/server-stubs') {
        delete manifest.optionalDependencies;
        // Not optional, because the mock loads documents with them.
        delete manifest.dependencies['@redocly/openapi-core'];
        delete manifest.dependencies['@scalar/openapi-upgrader'];
      }
      return manifest;
    },
    // Both need the API of the TypeScript 5 compiler, which TypeScript 7 no longer has. As a peer they would get
    // the TypeScript 7 of this repository.
    readPackage(manifest) {
      if (['openapi-typescript', '@hey-api/openapi-ts'].includes(manifest.name)) {
        manifest.dependencies.typescript = '5.9.3';
        delete manifest.peerDependencies.typescript;
      }
      return manifest;
    },
  },
};
