"""Builds one wheel for every Python 3, with a shared library in it, which pyproject.toml cannot express."""
from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class Platform(Distribution):
    """A distribution for one kind of machine."""

    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    """The library is loaded with ctypes, so any version of Python does."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=Platform, cmdclass={"bdist_wheel": Wheel})
