/**
 * Imports the packages that are named, counts the modules that this loads, and prints all of it as JSON.
 *
 * Built packages are loaded, as users load them: `pnpm build` before.
 */
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const loaded = []
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const built = resolved.url.replace(/(\/packages\/.*)\/src\/(.*)\.ts$/, '$1/dist/$2.js')
    if (built !== resolved.url && !existsSync(fileURLToPath(built))) throw new Error(`${built} is missing: pnpm build.`)
    return { ...resolved, url: built, format: built === resolved.url ? resolved.format : 'module' }
  },
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})

const start = performance.now()
for (const specifier of process.argv.slice(2)) await import(specifier)
const milliseconds = performance.now() - start

const packages = {}
for (const url of loaded.filter((one) => one.startsWith('file:'))) {
  const name =
    /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ??
    `@spillway/${/\/packages\/(?:\w+\/)?([\w-]+)\/dist/.exec(url)?.[1]}`
  packages[name] = (packages[name] ?? 0) + 1
}
console.log(JSON.stringify({ milliseconds, modules: loaded.length, packages }))
