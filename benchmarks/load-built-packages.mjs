/** Loads the builds of this workspace's packages, like users do: `node --import <this> …`, after `pnpm build`. */
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const built = resolved.url.replace(/(\/packages\/.*)\/src\/(.*)\.ts$/, '$1/dist/$2.js')
    if (built === resolved.url) return resolved
    if (!existsSync(fileURLToPath(built))) throw new Error(`${built} is missing: run pnpm build.`)
    return { ...resolved, url: built, format: 'module' }
  },
})
