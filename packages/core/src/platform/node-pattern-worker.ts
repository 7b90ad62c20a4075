/**
 * The program of the worker that patterns run in.
 *
 * It is text, so that no bundler, loader or test runner has to find a file. It answers each message
 * `{ pattern, flags, text, from }` with `{ hits }` as `PatternMatcher.match` describes them, or with `{ error }` when the
 * engine refuses the pattern. `import()` works whether the text is taken for a script or for a module.
 */
export const PATTERN_WORKER_SOURCE: string = `
import('node:worker_threads').then(({ parentPort }) => {
  let key, regex
  parentPort.on('message', ({ pattern, flags, text, from }) => {
    const hits = []
    try {
      if (key !== flags + pattern) {
        regex = new RegExp(pattern, flags + 'g')
        key = flags + pattern
      }
      for (let start = 0, index = 0; start < text.length; index++) {
        let end = text.indexOf('\\n', start)
        const next = end < 0 ? text.length : end + 1
        if (end < 0) end = text.length
        else if (end > start && text.charCodeAt(end - 1) === 13) end--
        regex.lastIndex = index === 0 ? from : 0
        const match = regex.exec(text.slice(start, end))
        if (match !== null) hits.push(index, match.index, match.index + match[0].length)
        start = next
      }
    } catch (error) {
      parentPort.postMessage({ error: String(error) })
      return
    }
    const answer = Uint32Array.from(hits)
    parentPort.postMessage({ hits: answer }, [answer.buffer])
  })
})
`
