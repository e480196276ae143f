// SPDX-License-Identifier: Apache-2.0
// Draws batches of rectangles with WebGL2, one instanced call each. Owns the context of its canvas. When the
// browser takes the context away, `lost` is set; it is built anew when the browser gives it back.
import { type Batch, BYTES_PER_RECT } from '../batch';

const VERTEX = `#version 300 es
layout(location = 0) in vec4 a_rect;
layout(location = 1) in vec4 a_fill;
layout(location = 2) in vec4 a_stroke;
layout(location = 3) in uvec4 a_style;
uniform vec2 u_size;
out vec2 v_at;
flat out vec2 v_half;
flat out vec4 v_fill;
flat out vec4 v_stroke;
flat out vec3 v_style;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  v_half = a_rect.zw * 0.5;
  // Half a pixel more on each side, for smooth borders.
  vec2 reach = v_half + 0.5;
  v_at = (corner * 2.0 - 1.0) * reach;
  vec2 at = (a_rect.xy + v_half + v_at) / u_size;
  gl_Position = vec4(at.x * 2.0 - 1.0, 1.0 - at.y * 2.0, 0.0, 1.0);
  v_fill = a_fill;
  v_stroke = a_stroke;
  v_style = vec3(float(a_style.x) / 4.0, float(a_style.y) / 4.0, float(a_style.z) / 255.0);
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
  #size: WebGLUniformLocation | null = null;
  #ratio: WebGLUniformLocation | null = null;

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
    for (const batch of batches) {
      if (batch.count === 0) continue;
      gl.bufferData(gl.ARRAY_BUFFER, batch.bytes(), gl.STREAM_DRAW);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, batch.count);
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
    this.#size = gl.getUniformLocation(program, 'u_size');
    this.#ratio = gl.getUniformLocation(program, 'u_ratio');
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.#describeRect();
  }

  #describeRect(): void {
    const gl = this.#gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    for (const attribute of [0, 1, 2, 3]) {
      gl.enableVertexAttribArray(attribute);
      gl.vertexAttribDivisor(attribute, 1);
    }
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, BYTES_PER_RECT, 0);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, BYTES_PER_RECT, 16);
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, BYTES_PER_RECT, 20);
    gl.vertexAttribIPointer(3, 4, gl.UNSIGNED_BYTE, BYTES_PER_RECT, 24);
  }
}
