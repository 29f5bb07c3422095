"""Compiler passes from a graph to kernel sources and a memory plan."""
