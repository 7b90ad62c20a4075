/**
 * Imports the packages that are named, counts the modules that this loads, and prints all of it as JSON.
 *
 * Built packages are loaded, as users load them: `pnpm build` before.
 */
import { registerHooks } from 'node:module'
import '../load-built-packages.mjs'

const loaded = []
registerHooks({
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
