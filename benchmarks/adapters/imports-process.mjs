/**
 * Imports the packages in the arguments, counts the modules that are loaded, and prints the counts as JSON.
 *
 * Loads built packages, like users do, so run `pnpm build` first.
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
