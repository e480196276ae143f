// SPDX-License-Identifier: Apache-2.0
// Draws batches of rectangles with WebGL2, with one call for each batch. Owns the context of its
// canvas, and makes its objects again when the browser restores a lost context.
//
// The rectangles lie in a texture, from which the vertex shader fetches them. Instancing would be
// simpler, but it is slow in software implementations: each instance costs 25 us instead of 2.
import { type Batch, WORDS_PER_RECT } from '../batch';

const RECTS_PER_ROW = 512;
const TEXELS_PER_RECT = WORDS_PER_RECT / 4;

const VERTEX = `#version 300 es
precision highp usampler2D;
uniform usampler2D u_rects;
uniform int u_first_row;
uniform vec2 u_size;
out vec2 v_at;
flat out vec2 v_half;
flat out vec4 v_fill;
flat out vec4 v_stroke;
flat out vec3 v_style;
vec4 bytes(uint word) {
  return vec4(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u, word >> 24);
}
void main() {
  int rect = gl_VertexID / 6;
  int vertex = gl_VertexID - rect * 6;
  ivec2 texel = ivec2((rect % ${RECTS_PER_ROW}) * ${TEXELS_PER_RECT}, u_first_row + rect / ${RECTS_PER_ROW});
  vec4 place = uintBitsToFloat(texelFetch(u_rects, texel, 0));
  uvec4 look = texelFetch(u_rects, texel + ivec2(1, 0), 0);
  // Two triangles: corners 0 1 2 and 2 1 3.
  int corner = vertex < 3 ? vertex : (vertex == 3 ? 2 : vertex == 4 ? 1 : 3);
  v_half = place.zw * 0.5;
  // Half a pixel more on each side, for smooth borders.
  v_at = (vec2(corner & 1, corner >> 1) * 2.0 - 1.0) * (v_half + 0.5);
  vec2 at = (place.xy + v_half + v_at) / u_size;
  gl_Position = vec4(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, 0.0, 1.0);
  v_fill = bytes(look.x) / 255.0;
  v_stroke = bytes(look.y) / 255.0;
  vec4 style = bytes(look.z);
  v_style = vec3(style.x / 4.0, style.y / 4.0, style.z / 255.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_at;
flat in vec2 v_half;
flat in vec4 v_fill;
flat in vec4 v_stroke;
flat in vec3 v_style;
uniform float u_ratio;
out vec4 color;
void main() {
  float radius = min(v_style.x, min(v_half.x, v_half.y));
  vec2 q = abs(v_at) - v_half + radius;
  float outside = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - radius;
  float cover = clamp(0.5 - outside * u_ratio, 0.0, 1.0);
  vec4 fill = v_fill;
  if (v_style.z > 0.5) {
    float stripe = fract((gl_FragCoord.x + gl_FragCoord.y) / (6.0 * u_ratio));
    if (stripe > 0.5) fill.a *= 0.25;
  }
  float border = v_style.y > 0.0 ? clamp((outside + v_style.y) * u_ratio + 0.5, 0.0, 1.0) : 0.0;
  vec4 mixed = mix(fill, v_stroke, border);
  mixed.a *= cover;
  color = vec4(mixed.rgb * mixed.a, mixed.a);
}`;

export class RectRenderer {
  readonly #gl: WebGL2RenderingContext;
  #firstRow: WebGLUniformLocation | null = null;
  #size: WebGLUniformLocation | null = null;
  #ratio: WebGLUniformLocation | null = null;

  #texture: WebGLTexture | null = null;
  /** Rows of the texture that holds the rectangles. */
  #rows = 0;

  private constructor(
    readonly canvas: HTMLCanvasElement,
    gl: WebGL2RenderingContext,
  ) {
    this.#gl = gl;
    this.#build();
    canvas.addEventListener('webglcontextlost', (event) => event.preventDefault());
    canvas.addEventListener('webglcontextrestored', () => this.#build());
  }

  /** A renderer for the canvas, or undefined where the browser has no WebGL2. */
  static create(canvas: HTMLCanvasElement): RectRenderer | undefined {
    // The drawing is kept so that it can be read at any time, to copy it or to test it.
    const gl = canvas.getContext('webgl2', {
      antialias: false,
      alpha: false,
      depth: false,
      preserveDrawingBuffer: true,
    });
    return gl ? new RectRenderer(canvas, gl) : undefined;
  }

  /** Draws the batches one over the other on a plain background. Sizes are in CSS pixels. */
  draw(batches: readonly Batch[], width: number, height: number, background: number): void {
    const gl = this.#gl;
    if (gl.isContextLost()) return;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    const channel = (shift: number) => ((background >>> shift) & 255) / 255;
    gl.clearColor(channel(0), channel(8), channel(16), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.#size, width, height);
    gl.uniform1f(this.#ratio, this.canvas.width / width);
    this.#upload(batches);
    let row = 0;
    for (const { count } of batches) {
      gl.uniform1i(this.#firstRow, row);
      if (count > 0) gl.drawArrays(gl.TRIANGLES, 0, count * 6);
      row += Math.ceil(count / RECTS_PER_ROW);
    }
  }

  /** Puts the batches into the texture, each from a new row on. */
  #upload(batches: readonly Batch[]): void {
    const gl = this.#gl;
    const width = RECTS_PER_ROW * TEXELS_PER_RECT;
    const needed = batches.reduce((rows, { count }) => rows + Math.ceil(count / RECTS_PER_ROW), 0);
    if (needed > this.#rows) {
      this.#rows = Math.max(64, needed * 2);
      gl.deleteTexture(this.#texture);
      this.#texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, this.#texture);
      // Integers cannot be filtered: with the default filters the texture would read as nothing.
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32UI, width, this.#rows);
    }
    let row = 0;
    for (const batch of batches) {
      const rows = Math.ceil(batch.count / RECTS_PER_ROW);
      if (rows > 0)
        gl.texSubImage2D(
          gl.TEXTURE_2D,
          0,
          0,
          row,
          width,
          rows,
          gl.RGBA_INTEGER,
          gl.UNSIGNED_INT,
          batch.rows(RECTS_PER_ROW),
        );
      row += rows;
    }
  }

  /** Waits until all is drawn, for measurements. */
  finish(): void {
    this.#gl.readPixels(0, 0, 1, 1, this.#gl.RGBA, this.#gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  #build(): void {
    const gl = this.#gl;
    const program = gl.createProgram();
    for (const [type, source] of [
      [gl.VERTEX_SHADER, VERTEX],
      [gl.FRAGMENT_SHADER, FRAGMENT],
    ] as const) {
      const shader = gl.createShader(type);
      if (!shader) return; // the context is lost; the browser calls again when it is back
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(`The shaders do not build: ${gl.getProgramInfoLog(program)}`);
    gl.useProgram(program);
    this.#firstRow = gl.getUniformLocation(program, 'u_first_row');
    this.#size = gl.getUniformLocation(program, 'u_size');
    this.#ratio = gl.getUniformLocation(program, 'u_ratio');
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.#texture = null;
    this.#rows = 0;
  }
}
