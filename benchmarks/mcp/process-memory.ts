import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const KILOBYTES_PER_MEGABYTE = 1_000_000 / 1_024

/** Whether the memory of other processes can be read, which is possible only on Linux. */
export const canReadMemory: boolean = existsSync('/proc/self/clear_refs')

/** Reset the peak memory of a process. Returns its resident memory in megabytes. */
export function resetPeakOf(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return readStatus(pid, 'VmRSS')
}

/** Return the peak memory in megabytes since the reset. */
export const peakOf = (pid: number): number => readStatus(pid, 'VmHWM')

function readStatus(pid: number, name: string): number {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / KILOBYTES_PER_MEGABYTE
}
