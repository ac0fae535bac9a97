export function GIFEncoder(): {
  writeFrame(index: Uint8Array, width: number, height: number, options: {
    palette?: number[][], delay?: number, transparent?: boolean, transparentIndex?: number, dispose?: number,
  }): void,
  finish(): void,
  bytes(): Uint8Array<ArrayBuffer>,
};
export function quantize(rgba: Uint8ClampedArray, colors: number): number[][];
export function applyPalette(rgba: Uint8ClampedArray, palette: number[][]): Uint8Array;
