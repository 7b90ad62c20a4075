import type { TinyPart } from '../tiny-framework.ts'
import { changed, type Fault, offloading, returningOther, rewriting, withOptions } from './fault.ts'

const isText = (part: TinyPart): part is Extract<TinyPart, { type: 'text' }> => part.type === 'text'

/** Adapters that handle results, outputs, or errors incorrectly. */
export const resultFaults: readonly Fault[] = [
  {
    name: 'offloads nothing',
    caughtBy: ['results/large-text', 'tokens/log-and-two-retrievals'],
    create: () => offloading((output) => output),
  },
  {
    name: 'offloads in every mode',
    caughtBy: ['mode/shadow', 'mode/switched-off'],
    create: () => withOptions(() => ({ mode: 'offload', includeRetrievalTool: true })),
  },
  {
    name: 'never redacts small results',
    caughtBy: ['redaction/small-results', 'redaction/failing'],
    create: () =>
      offloading((output, context, offload) =>
        output.type === 'text' && output.value.length < 1_000 ? output : offload(output, context),
      ),
  },
  {
    name: 'treats text as JSON if possible',
    caughtBy: ['results/large-json-text'],
    create: () =>
      offloading((output, context, offload) => {
        if (output.type !== 'text' || !/^[[{]/.test(output.value)) return offload(output, context)
        return offload({ type: 'json', value: JSON.parse(output.value) as unknown }, context)
      }),
  },
  {
    name: 'removes Base64 from JSON',
    caughtBy: ['results/media-in-json'],
    create: () =>
      offloading((output, context, offload) => {
        if (output.type !== 'json') return offload(output, context)
        const json = JSON.stringify(output.value)?.replaceAll(/base64,[\w+/=]+/g, '')
        return offload({ type: 'json', value: json === undefined ? json : (JSON.parse(json) as unknown) }, context)
      }),
  },
  {
    name: 'does not pass the arguments of a call',
    caughtBy: ['retrieval/by-another-tool'],
    create: () => offloading((output, context, offload) => offload(output, { ...context, input: undefined })),
  },
  {
    name: 'writes text as Latin-1',
    caughtBy: ['results/scripts-and-emoji', 'small-results/text'],
    create: () => rewriting((text) => Buffer.from(text, 'latin1').toString('latin1')),
  },
  {
    name: 'breaks long lines',
    caughtBy: ['results/one-long-line'],
    create: () => rewriting((text) => text.replaceAll(/[^\n]{1000}/g, '$&\n')),
  },
  {
    name: 'makes all line ends equal',
    caughtBy: ['results/line-ends', 'small-results/text'],
    create: () => rewriting((text) => text.replaceAll('\r\n', '\n')),
  },
  {
    name: 'removes the marks of a replacement from results',
    caughtBy: ['results/hostile-text'],
    create: () => rewriting((text) => text.replaceAll(/^\[Stored references:\][^]*$/gm, '')),
  },
  {
    name: 'turns text into parts',
    caughtBy: ['results/rest-of-the-prompt'],
    create: () =>
      offloading(async (output, context, offload) => {
        const replaced = await offload(output, context)
        if (replaced === output || replaced.type !== 'text') return replaced
        return { type: 'parts', value: [{ type: 'text', text: replaced.value }] }
      }),
  },
  {
    name: 'keeps only the beginning of long lists',
    caughtBy: ['results/large-json'],
    create: () =>
      offloading((output, context, offload) =>
        offload(
          Array.isArray(output.value) ? ({ ...output, value: output.value.slice(0, 120) } as typeof output) : output,
          context,
        ),
      ),
  },
  {
    name: 'passes JSON as text',
    caughtBy: ['results/large-json-lines', 'small-results/json'],
    create: () =>
      offloading((output, context, offload) =>
        offload(output.type === 'json' ? { type: 'text', value: JSON.stringify(output.value) } : output, context),
      ),
  },
  {
    name: 'offloads only the text of parts',
    caughtBy: [
      'results/large-image',
      'results/large-document',
      'results/large-audio',
      'results/text-beside-large-image',
    ],
    create: () =>
      offloading(async (output, context, offload) => {
        if (output.type !== 'parts' || output.value.every(isText)) return offload(output, context)
        const texts = output.value.filter(isText)
        const replaced = await offload({ type: 'parts', value: texts }, context)
        if (replaced.type !== 'parts' || replaced.value === texts) return output
        return { type: 'parts', value: [...replaced.value, ...output.value.filter((part) => !isText(part))] }
      }),
  },
  {
    name: 'drops the parts that are not offloaded',
    caughtBy: ['results/image-beside-large-text', 'results/text-beside-large-image', 'results/image-by-url'],
    create: () =>
      offloading(async (output, context, offload) => {
        const replaced = await offload(output, context)
        return replaced.type === 'parts' && replaced !== output
          ? { type: 'parts', value: replaced.value.slice(0, 1) }
          : replaced
      }),
  },
  {
    name: 'compares each part alone with the limit',
    caughtBy: ['results/many-blocks', 'outages/second-block', 'results/named-texts'],
    create: () =>
      offloading(async (output, context, offload) => {
        if (output.type !== 'parts') return offload(output, context)
        const parts: TinyPart[] = []
        for (const part of output.value) {
          const replaced = await offload({ type: 'parts', value: [part] }, context)
          if (replaced.type === 'parts') parts.push(...replaced.value)
        }
        return { type: 'parts', value: parts }
      }),
  },
  {
    name: 'offloads no results with several parts',
    caughtBy: ['results/one-block-as-parts', 'results/text-beside-large-image'],
    create: () =>
      offloading((output, context, offload) => (output.type === 'parts' ? output : offload(output, context))),
  },
  {
    name: 'keeps the beginning of a text next to its preview',
    caughtBy: ['results/replacement-size', 'results/large-text'],
    create: () =>
      offloading(async (output, context, offload) => {
        const replaced = await offload(output, context)
        if (output.type !== 'text' || replaced.type !== 'text' || replaced === output) return replaced
        return { type: 'text', value: `${output.value.slice(0, 2_000)}\n${replaced.value}` }
      }),
  },
  {
    name: 'drops small results after another result was offloaded',
    caughtBy: ['results/beside-small-results', 'results/rest-of-the-prompt'],
    create: () => {
      const { promise: offloaded, resolve } = Promise.withResolvers<void>()
      return offloading(async (output, context, offload) => {
        const replaced = await offload(output, context)
        if (replaced !== output) {
          resolve()
          return replaced
        }
        await offloaded
        return { type: 'text', value: '[unchanged]' }
      })
    },
  },
  {
    name: 'passes only the text of a file',
    caughtBy: ['results/named-texts', 'results/declared-types'],
    create: () =>
      offloading((output, context, offload) => {
        if (output.type !== 'parts') return offload(output, context)
        const value = output.value.map((part): TinyPart => (isText(part) ? { type: 'text', text: part.text } : part))
        return offload({ type: 'parts', value }, context)
      }),
  },
  {
    name: 'does not call shouldOffload',
    caughtBy: ['results/declined', 'errors/what-the-offloader-is-told'],
    create: () => withOptions(() => ({ shouldOffload: undefined })),
  },
  {
    name: 'passes no input to the offloader',
    caughtBy: ['results/what-the-offloader-is-told'],
    create: () => offloading((output, context, offload) => offload(output, { ...context, input: undefined })),
  },
  {
    name: 'drops an empty text',
    caughtBy: ['small-results/empty-text'],
    create: () =>
      offloading((output, context, offload) =>
        output.value === '' ? { type: 'json', value: null } : offload(output, context),
      ),
  },
  {
    name: 'trims text',
    caughtBy: ['small-results/blank-text'],
    create: () => rewriting((text) => text.trim()),
  },
  {
    name: 'turns a missing result into an empty text',
    caughtBy: ['small-results/nothing', 'small-results/json'],
    create: () =>
      offloading((output, context, offload) =>
        output.value === null ? { type: 'text', value: '' } : offload(output, context),
      ),
  },
  {
    name: 'replaces small media by descriptions',
    caughtBy: ['small-results/image', 'small-results/document', 'small-results/parts'],
    create: () =>
      offloading((output, context, offload) => {
        if (output.type !== 'parts') return offload(output, context)
        const value = output.value.map((part): TinyPart =>
          isText(part) ? part : { type: 'text', text: `[${part.type}]` },
        )
        return offload({ type: 'parts', value }, context)
      }),
  },
  {
    name: 'does not offload values that contain dates',
    caughtBy: ['results/large-odd-json'],
    create: () =>
      offloading((output, context, offload) => {
        const values = output.type === 'json' ? Object.values(output.value ?? {}) : []
        return values.some((value) => value instanceof Date) ? output : offload(output, context)
      }),
  },
  {
    name: 'writes dates in another format',
    caughtBy: ['small-results/odd-values'],
    create: () =>
      offloading((output, context, offload) => {
        const value: unknown = output.value
        return offload(value instanceof Date ? { type: 'text', value: `${value.getFullYear()}` } : output, context)
      }),
  },
  {
    name: 'joins parts of text',
    caughtBy: ['small-results/parts'],
    create: () =>
      offloading((output, context, offload) => {
        if (output.type !== 'parts' || !output.value.every(isText)) return offload(output, context)
        return offload(
          { type: 'parts', value: [{ type: 'text', text: output.value.map(({ text }) => text).join('') }] },
          context,
        )
      }),
  },
  {
    name: 'unwraps values that look like text parts',
    caughtBy: ['small-results/look-alike'],
    create: () =>
      offloading((output, context, offload) => {
        const { type, value } = (output.value ?? {}) as { readonly type?: unknown; readonly value?: unknown }
        return type === 'text' && typeof value === 'string' ? { type, value } : offload(output, context)
      }),
  },
  {
    name: 'compares the sum of all results of a conversation with the limit',
    caughtBy: ['small-results/many'],
    create: () => {
      let total = 0
      return offloading((output, context, offload, offloader) => {
        total += String(output.value).length
        const { maxResultTokens } = offloader.options
        return total > maxResultTokens ? { type: 'text', value: '[Offloaded: 1 block]' } : offload(output, context)
      })
    },
  },
  {
    name: 'offloads a result of exactly the limit',
    caughtBy: ['small-results/at-the-limit'],
    create: () => withOptions(({ maxResultTokens }) => ({ maxResultTokens: maxResultTokens - 1 })),
  },
  {
    name: 'unwraps a single part',
    caughtBy: ['small-results/as-parts'],
    create: () =>
      offloading((output, context, offload) => {
        const [part] = output.type === 'parts' && output.value.length === 1 ? output.value : []
        return offload(part?.type === 'text' ? { type: 'text', value: part.text } : output, context)
      }),
  },
  {
    name: 'adds a mark to values that tools return',
    caughtBy: ['small-results/values-of-the-program'],
    create: () =>
      offloading((output, context, offload) => {
        if (output.type === 'json') Object.assign(output.value as object, { seen: true })
        return offload(output, context)
      }),
  },
  {
    name: 'gives the program the replacements for the model',
    caughtBy: ['outputs/text', 'outputs/json', 'outputs/parts', 'outputs/small', 'outputs/whole'],
    create: () => returningOther((value) => (JSON.stringify(value) ?? '').slice(0, 10)),
  },
  {
    name: 'adds the word Error to every error',
    caughtBy: [
      'errors/thrown',
      'errors/thrown-string',
      'errors/thrown-object',
      'errors/thrown-nothing',
      'errors/returned',
    ],
    create: () =>
      offloading((output, context, offload) =>
        offload(output.type === 'error' ? { type: 'error', value: `Error: ${output.value}` } : output, context),
      ),
  },
  {
    name: 'never offloads errors',
    caughtBy: [
      'errors/huge-thrown',
      'errors/huge-thrown-string',
      'errors/huge-thrown-object',
      'errors/huge-returned',
      'errors/what-the-offloader-is-told',
    ],
    create: () =>
      offloading((output, context, offload) => (output.type === 'error' ? output : offload(output, context))),
  },
  {
    name: 'treats errors as text',
    caughtBy: ['errors/huge-thrown', 'errors/huge-returned', 'errors/what-the-offloader-is-told'],
    create: () =>
      offloading(async (output, context, offload) => {
        if (output.type !== 'error') return offload(output, context)
        const text = { type: 'text', value: output.value } as const
        const replaced = await offload(text, context)
        return replaced === text ? output : replaced
      }),
  },
  {
    name: 'counts tokens with its own function',
    caughtBy: ['tokens/counted-by-the-user'],
    create: () => withOptions(() => ({ countTokens: undefined })),
  },
  {
    name: 'creates a new offloader for each run',
    caughtBy: ['meter/adds-up', 'meter/counts-once'],
    create: () => withOptions(() => ({ onEvent: undefined })),
  },
  {
    name: 'offloads a result again for every model call',
    caughtBy: ['meter/counts-once'],
    create: () => {
      const again: (() => Promise<unknown>)[] = []
      return changed(({ afterTool, beforeModel }) => ({
        afterTool: async (output, context) => {
          again.push(async () => afterTool(output, context))
          return afterTool(output, context)
        },
        beforeModel: async (signal) => {
          for (const offload of again) await offload()
          await beforeModel(signal)
        },
      }))
    },
  },
]
