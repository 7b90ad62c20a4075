/** What pnpm asks about manifests before it resolves them. */
export const hooks = {
  readPackage(manifest) {
    // VoltAgent works with version 6 of the AI SDK alone. Where the workspace has version 7 beside it, as its peer it would
    // get that one: an extension of the package cannot take a peer away, and an override cannot put a dependency there.
    if (manifest.name === '@voltagent/core' && manifest.version === '2.10.0') {
      delete manifest.peerDependencies.ai
      manifest.dependencies.ai = '^6.0.326'
    }
    return manifest
  },
}
