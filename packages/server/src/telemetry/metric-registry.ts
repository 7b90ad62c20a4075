/** Values of the labels of a metric, in the order of their names. */
export type LabelValues = readonly string[]

interface Metric {
  write(): Iterable<string>
}

/** Different values of labels that a metric keeps apart, at most: more would be a fault, and must not fill the memory. */
const MAX_SERIES = 1_000

/** Metrics of one service, written in the text format of Prometheus. */
export class MetricRegistry {
  readonly #metrics: Metric[] = []

  /** Make a metric that only grows; the function adds to it. */
  counter(name: string, help: string, labels: readonly string[]): (values: LabelValues, amount?: number) => void {
    const series = new Map<string, number>()
    this.#metrics.push({
      *write() {
        yield* heading(name, help, 'counter')
        for (const [key, value] of series) yield `${name}${key} ${value}`
      },
    })
    return (values, amount = 1) => {
      const key = labelText(labels, values)
      if (series.has(key) || series.size < MAX_SERIES) series.set(key, (series.get(key) ?? 0) + amount)
    }
  }

  /** Make a metric that is read when it is asked for. */
  gauge(name: string, help: string, read: () => number): void {
    this.#metrics.push({ write: () => [...heading(name, help, 'gauge'), `${name} ${read()}`] })
  }

  /** Make a metric that counts observations by their size; the function takes one. */
  histogram(
    name: string,
    help: string,
    labels: readonly string[],
    buckets: readonly number[],
  ): (values: LabelValues, observed: number) => void {
    const series = new Map<
      string,
      { readonly values: LabelValues; readonly counts: number[]; sum: number; count: number }
    >()
    this.#metrics.push({
      *write() {
        yield* heading(name, help, 'histogram')
        for (const [key, { values, counts, sum, count }] of series) {
          for (const [index, bound] of buckets.entries())
            yield `${name}_bucket${labelText([...labels, 'le'], [...values, `${bound}`])} ${counts[index]}`
          yield `${name}_bucket${labelText([...labels, 'le'], [...values, '+Inf'])} ${count}`
          yield `${name}_sum${key} ${sum}`
          yield `${name}_count${key} ${count}`
        }
      },
    })
    return (values, observed) => {
      const key = labelText(labels, values)
      const known = series.get(key) ?? { values, counts: buckets.map(() => 0), sum: 0, count: 0 }
      if (!series.has(key) && series.size >= MAX_SERIES) return
      series.set(key, known)
      known.sum += observed
      known.count += 1
      for (const [index, bound] of buckets.entries()) if (observed <= bound) known.counts[index]! += 1
    }
  }

  /** Write all metrics. */
  text(): string {
    return `${this.#metrics.flatMap((metric) => [...metric.write()]).join('\n')}\n`
  }
}

function* heading(name: string, help: string, type: string): Generator<string> {
  yield `# HELP ${name} ${help}`
  yield `# TYPE ${name} ${type}`
}

function labelText(names: readonly string[], values: LabelValues): string {
  if (names.length === 0) return ''
  const escaped = (value: string): string =>
    value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `{${names.map((name, index) => `${name}="${escaped(values[index] ?? '')}"`).join(',')}}`
}
